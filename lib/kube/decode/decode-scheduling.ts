import type { LabelExpression, LabelSelector } from '#lib/constraints/label-selector.ts';
import { OPERATORS, type RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Taint, Toleration } from '#lib/constraints/taints.ts';
import type { NodeSelectorTerm } from '#lib/model/pod.ts';
import { texts } from './decode-meta.ts';
import {
  type Decoder,
  list,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { integer, name, oneOf, text } from './scalar.ts';

const effect = oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute');
const requirementOperator = oneOf(...OPERATORS);
const nodeSelectorOperator = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt');
const labelOperator = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist');

/** A taint of a node or of a template. */
export const decodeTaint: Decoder<Taint> = (value) => {
  const taint = wire(value);
  return {
    key: required(taint, 'key', name),
    value: withDefault(taint, 'value', '', text),
    effect: required(taint, 'effect', effect),
  };
};

/** A toleration of a pod; the operator is Equal where none is named, as the API server says. */
export const decodeToleration: Decoder<Toleration> = (value) => {
  const toleration = wire(value);
  return {
    operator: withDefault(toleration, 'operator', 'Equal', oneOf('Exists', 'Equal', 'Lt', 'Gt')),
    ...present({
      key: optional(toleration, 'key', text) || undefined,
      value: optional(toleration, 'value', text),
      effect: optional(toleration, 'effect', (found) => (found === '' ? undefined : effect(found))),
      seconds: optional(toleration, 'tolerationSeconds', integer),
    }),
  };
};

/** A requirement of a NodePool or NodeClaim, with every operator and minValues. */
export const decodeRequirement: Decoder<RequirementSpec> = (value) =>
  requirement(value, requirementOperator);

const decodeNodeExpression: Decoder<RequirementSpec> = (value) =>
  requirement(value, nodeSelectorOperator);

function requirement(
  value: unknown,
  operator: Decoder<RequirementSpec['operator']>,
): RequirementSpec {
  const spec = wire(value);
  const values = list(spec, 'values', text);
  return {
    key: required(spec, 'key', name),
    operator: required(spec, 'operator', operator),
    ...(values.length > 0 && { values }),
    ...present({ minValues: optional(spec, 'minValues', integer) }),
  };
}

/** One term of a node selector: of a pod's affinity, or of where a volume can be attached. */
export const decodeNodeSelectorTerm: Decoder<NodeSelectorTerm> = (value) => {
  const term = wire(value);
  return {
    matchExpressions: list(term, 'matchExpressions', decodeNodeExpression),
    hasMatchFields: list(term, 'matchFields', wire).length > 0,
  };
};

/**
 * The terms of the node selector under `key`, one of which must hold; none where there is no
 * selector. One without terms, which the API server would not take, is as one whose only term is
 * empty: it holds for no node.
 */
export function decodeNodeSelector(of: Wire, key: string): readonly NodeSelectorTerm[] {
  const selector = optional(of, key, (value) =>
    list(wire(value), 'nodeSelectorTerms', decodeNodeSelectorTerm),
  );
  return selector?.length === 0 ? HOLDS_NOWHERE : (selector ?? NO_TERMS);
}

const NO_TERMS: readonly NodeSelectorTerm[] = Object.freeze([]);
const HOLDS_NOWHERE: readonly NodeSelectorTerm[] = Object.freeze([
  Object.freeze({ matchExpressions: Object.freeze([]), hasMatchFields: false }),
]);

/** A label selector; the empty one, which matches everything, is not the missing one. */
export const decodeLabelSelector: Decoder<LabelSelector> = (value) => {
  const selector = wire(value);
  return {
    matchLabels: texts(selector, 'matchLabels'),
    matchExpressions: list(selector, 'matchExpressions', decodeLabelExpression),
  };
};

const decodeLabelExpression: Decoder<LabelExpression> = (value) => {
  const expression = wire(value);
  return {
    key: required(expression, 'key', name),
    operator: required(expression, 'operator', labelOperator),
    values: list(expression, 'values', text),
  };
};
