import type { Resources } from '#lib/constraints/resources.ts';
import type { BudgetSpec, NodeClassRef, NodePool, NodePoolTemplate } from '#lib/model/node-pool.ts';
import { decodeConditions, decodeMeta, texts } from './decode-meta.ts';
import { decodeRequirement, decodeTaint } from './decode-scheduling.ts';
import {
  type Decoder,
  group,
  grouped,
  list,
  listOf,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { amounts, duration, durationOrNever, integer, name, oneOf, text } from './scalar.ts';

/** 720h. Source: karpenter v1.14 CRDs, expireAfter. */
export const DEFAULT_EXPIRE_AFTER_MS = 720 * 3_600_000;
/** Source: karpenter v1.14 CRDs, disruption.budgets. */
const DEFAULT_BUDGETS: readonly BudgetSpec[] = Object.freeze([{ nodes: '10%' }]);
const NONE: Resources = Object.freeze({});

const consolidationPolicy = oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced');
const budgetReason = oneOf('Underutilized', 'Empty', 'Drifted');

/** A NodePool, with the CRD's defaults. Throws DecodeError. */
export function decodeNodePool(value: unknown): NodePool {
  const body = wire(value);
  const meta = decodeMeta(body);
  const ofSpec = required(body, 'spec', (found) => {
    const spec = wire(found);
    return {
      template: required(spec, 'template', (template) => decodeTemplate(wire(template))),
      wireTemplate: required(spec, 'template', wire),
      disruption: grouped(spec, 'disruption', decodeDisruption),
      limits: withDefault(spec, 'limits', NONE, amounts),
      weight: withDefault(spec, 'weight', 0, integer),
      ...present({ replicas: optional(spec, 'replicas', integer) }),
    };
  });
  return {
    meta,
    ...ofSpec,
    status: grouped(body, 'status', (status) => ({
      resources: withDefault(status, 'resources', NONE, amounts),
      nodes: withDefault(status, 'nodes', 0, integer),
      conditions: decodeConditions(status, meta.createdAt),
      ...present({
        nodeClassObservedGeneration: optional(status, 'nodeClassObservedGeneration', integer),
      }),
    })),
  };
}

function decodeTemplate(template: Wire): NodePoolTemplate {
  const meta = group(template, 'metadata');
  const ofSpec = required(template, 'spec', (found) => {
    const spec = wire(found);
    return {
      taints: list(spec, 'taints', decodeTaint),
      startupTaints: list(spec, 'startupTaints', decodeTaint),
      requirements: list(spec, 'requirements', decodeRequirement),
      nodeClassRef: required(spec, 'nodeClassRef', decodeNodeClassRef),
      expireAfter: withDefault(spec, 'expireAfter', DEFAULT_EXPIRE_AFTER_MS, durationOrNever),
      ...present({ terminationGraceMs: optional(spec, 'terminationGracePeriod', duration) }),
    };
  });
  return { labels: texts(meta, 'labels'), annotations: texts(meta, 'annotations'), ...ofSpec };
}

/** Which NodeClass a NodePool or a NodeClaim refers to. */
export const decodeNodeClassRef: Decoder<NodeClassRef> = (value) => {
  const ref = wire(value);
  return {
    group: required(ref, 'group', name),
    kind: required(ref, 'kind', name),
    name: required(ref, 'name', name),
  };
};

const decodeDisruption = (disruption: Wire): NodePool['disruption'] => ({
  consolidationPolicy: withDefault(
    disruption,
    'consolidationPolicy',
    'WhenEmptyOrUnderutilized',
    consolidationPolicy,
  ),
  consolidateAfter: withDefault(disruption, 'consolidateAfter', 0, durationOrNever),
  budgets: withDefault(disruption, 'budgets', DEFAULT_BUDGETS, listOf(decodeBudget)),
});

function decodeBudget(value: unknown): BudgetSpec {
  const budget = wire(value);
  return {
    nodes: withDefault(budget, 'nodes', '10%', text),
    ...present({
      schedule: optional(budget, 'schedule', text),
      durationMs: optional(budget, 'duration', duration),
      reasons: optional(budget, 'reasons', listOf(budgetReason)),
    }),
  };
}
