import { type ConditionChange, withCondition, withRoot } from '#lib/model/conditions.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { NodeClass, ResolvedPlacementGroup } from '#lib/model/node-class.ts';
import type { NodeClassFacts } from '#lib/model/node-class-facts.ts';
import type { Condition } from '#lib/model/object.ts';
import type { StatusChange } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { PARTS, RESOLVED_CONDITIONS } from './node-class-parts.ts';
import { VALIDATION_SUCCEEDED, validation } from './node-class-validation.ts';

/** The types that a NodeClass's Ready sums up. */
export const DEPENDENTS: readonly string[] = [
  ...Object.values(RESOLVED_CONDITIONS),
  VALIDATION_SUCCEEDED,
];

/** What a NodeClass comes to: its status, and what its status has no field for. */
export interface Resolution {
  /** Subnets and reservations bear their numbers, which the CRD's status does not take. */
  readonly status: StatusChange & { readonly conditions: readonly Condition[] };
  readonly placementGroup?: ResolvedPlacementGroup;
}

/** What a NodeClass is judged by besides its facts. */
export interface ResolutionContext {
  readonly settings: ClusterSettings;
  /** What could be launched with it; absent where it is not resolved. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly now: EpochMs;
}

/**
 * The whole status of a NodeClass as its facts make it; lists are whole, conditions sorted by
 * type. A part that AWS did not answer keeps what was known. The instance profile is ready once
 * it was found: making it is another action's (see instanceProfileOf).
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass.
 */
export function nodeClassStatus(
  nodeClass: NodeClass,
  facts: NodeClassFacts,
  context: ResolutionContext,
): Resolution {
  const { now } = context;
  const parts = PARTS.map((part) => part(nodeClass, facts, context));
  const { generation, createdAt } = nodeClass.meta;
  const set = (conditions: readonly Condition[], change: ConditionChange) =>
    withCondition(conditions, { ...change, observedGeneration: generation }, now);
  const resolved = parts.reduce(
    (conditions, { condition }) => (condition ? set(conditions, condition) : conditions),
    nodeClass.status.conditions,
  );
  const verdict = validation(nodeClass, { ...context, facts, conditions: resolved });
  const validated = set(resolved, { type: VALIDATION_SUCCEEDED, ...verdict });
  const placementGroup = parts.find((part) => part.placementGroup)?.placementGroup;
  return {
    status: {
      ...Object.assign({}, ...parts.map(({ status }) => status)),
      conditions: withRoot(validated, { dependents: DEPENDENTS, generation, createdAt }, now),
    },
    ...(placementGroup && { placementGroup }),
  };
}
