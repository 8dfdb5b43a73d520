import { selects } from '#lib/constraints/label-selector.ts';
import type { NodeExpression, NodeObject, NodeTerm, PodSpec, StringMap } from './wire.ts';

/** Whether a node has the labels that a pod's node selector and required affinity ask for. */
export function wantsNode({ nodeSelector, affinity }: PodSpec, node: NodeObject): boolean {
  const labels = node.metadata.labels ?? {};
  for (const key in nodeSelector) if (labels[key] !== nodeSelector[key]) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}

/** Whether one of the terms holds for a node. */
export const matchesAnyTerm = (terms: readonly NodeTerm[], node: NodeObject): boolean =>
  terms.some((term) => matchesTerm(term, node));

/** Whether all of a term holds for a node; an empty term holds for none. */
export function matchesTerm(
  { matchExpressions, matchFields }: NodeTerm,
  node: NodeObject,
): boolean {
  const expressions = matchExpressions ?? [];
  const fields = matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((expression) => holds(expression, labels)) &&
    fields.every((field) => holds(field, { 'metadata.name': node.metadata.name }))
  );
}

/** Source: kubernetes v1.36, component-helpers/scheduling/corev1/nodeaffinity. */
function holds({ key, operator, values = [] }: NodeExpression, labels: StringMap): boolean {
  if (operator !== 'Gt' && operator !== 'Lt') {
    return selects({ matchLabels: {}, matchExpressions: [{ key, operator, values }] }, labels);
  }
  const [found, bound] = [wholeNumber(labels[key]), wholeNumber(values[0])];
  if (found === undefined || bound === undefined) return false;
  return operator === 'Gt' ? found > bound : found < bound;
}

const wholeNumber = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
