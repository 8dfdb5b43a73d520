import { type Comparator, compareText } from '#lib/constraints/order.ts';
import type { Condition } from './object.ts';
import type { EpochMs } from './time.ts';

/** The condition that sums up the dependents of an object. */
export const READY = 'Ready';

/** A condition to be written; when it last changed is worked out. */
export type ConditionChange = Omit<Condition, 'changedAt' | 'reason' | 'message'> & {
  /** Absent: the condition's type. */
  readonly reason?: string;
  readonly message?: string;
};

/** The condition of one type, if it was ever written. */
export const conditionOf = (
  conditions: readonly Condition[],
  type: string,
): Condition | undefined => conditions.find((condition) => condition.type === type);

/** Whether the condition of one type is there and True. */
export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditionOf(conditions, type)?.status === 'True';

const byType: Comparator<Condition> = (a, b) => compareText(a.type, b.type);

/**
 * The conditions with one of them written, sorted by type. When it changed moves only if its
 * status does; the same list comes back where nothing is different.
 *
 * Source: operatorpkg, status/condition_set.go, Set.
 */
export function withCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  now: EpochMs,
): readonly Condition[] {
  const before = conditionOf(conditions, change.type);
  const after: Condition = {
    ...change,
    reason: change.reason ?? change.type,
    message: change.message ?? '',
    changedAt: before && before.status === change.status ? before.changedAt : now,
  };
  if (before && isSame(before, after)) return conditions;
  return [...conditions.filter(({ type }) => type !== change.type), after].sort(byType);
}

const isSame = (a: Condition, b: Condition): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.observedGeneration === b.observedGeneration;

/** The conditions without that of one type, whose absence means that it does not hold. */
export const withoutCondition = (
  conditions: readonly Condition[],
  type: string,
): readonly Condition[] =>
  conditionOf(conditions, type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;

/** What an object and its Ready condition are made of. */
export interface RootOf {
  /** The types that Ready sums up, in the order in which they come true. */
  readonly dependents: readonly string[];
  readonly generation: number;
  readonly createdAt: EpochMs;
}

/**
 * The conditions with each missing dependent written as Unknown since the object's creation.
 *
 * Source: operatorpkg, status/condition_set.go, For and SetUnknown.
 */
export function withInitial(
  conditions: readonly Condition[],
  { dependents, generation, createdAt }: RootOf,
): readonly Condition[] {
  const missing = dependents.filter((type) => !conditionOf(conditions, type));
  return missing.reduce(
    (list, type) =>
      withCondition(
        list,
        {
          type,
          status: 'Unknown',
          reason: 'AwaitingReconciliation',
          message: 'object is awaiting reconciliation',
          observedGeneration: generation,
        },
        createdAt,
      ),
    conditions,
  );
}

/**
 * The conditions with Ready worked out anew, missing dependents being Unknown: True when all
 * dependents are True at the current generation; False when one is False at it; else Unknown.
 *
 * Source: operatorpkg, status/condition_set.go, recomputeRootCondition.
 */
export function withRoot(
  conditions: readonly Condition[],
  root: RootOf,
  now: EpochMs,
): readonly Condition[] {
  const complete = withInitial(conditions, root);
  const unhealthy = root.dependents
    .flatMap((type) => conditionOf(complete, type) ?? [])
    .filter((each) => each.status !== 'True' || each.observedGeneration !== root.generation)
    .sort((a, b) => b.changedAt - a.changedAt);
  const change = { type: READY, observedGeneration: root.generation };
  if (unhealthy.length === 0) return withCondition(complete, { ...change, status: 'True' }, now);

  const isFalse = unhealthy.some(
    (each) => each.status === 'False' && each.observedGeneration === root.generation,
  );
  const message = unhealthy.map(({ type, status }) => `${type}=${status}`).join(', ');
  return withCondition(
    complete,
    isFalse
      ? { ...change, status: 'False', reason: 'UnhealthyDependents', message }
      : { ...change, status: 'Unknown', reason: 'ReconcilingDependents', message },
    now,
  );
}
