import { NODE_CLAIM_LIFE } from '#lib/model/condition-types.ts';
import {
  type ConditionChange,
  conditionOf,
  withCondition,
  withoutCondition,
  withRoot,
} from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Condition, ObjectMeta, ObjectRef } from '#lib/model/object.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange, StatusChange } from '#lib/model/plan.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** A condition to be written, or one that is to go because it no longer holds. */
export type ConditionEdit =
  | (Omit<ConditionChange, 'observedGeneration'> & { readonly gone?: never })
  | { readonly type: string; readonly gone: true };

/**
 * What one rule wants for one NodeClaim. Rules know nothing of each other: their edits are put
 * together into one change of the object and one of its status, and only what differs is written.
 */
export interface ClaimStep {
  readonly conditions?: readonly ConditionEdit[];
  readonly status?: Omit<StatusChange, 'conditions'>;
  readonly meta?: MetaChange;
  /** Effects on anything else: instances, pods, Nodes, events. */
  readonly actions?: readonly Action[];
  /** After how long a look may find more to do. */
  readonly lookAgainInMs?: number;
}

/** The step that wants nothing. */
export const NO_STEP: ClaimStep = {};

/** What the steps of one NodeClaim come to. */
export interface Progress {
  readonly actions: readonly Action[];
  readonly lookAgainInMs?: number;
}

/** The writes and effects that `steps` come to for one NodeClaim, later steps winning. */
export function takeSteps(claim: NodeClaim, steps: readonly ClaimStep[], now: EpochMs): Progress {
  const ref = claimRef(claim);
  const effects = steps.flatMap(({ actions }) => actions ?? []);
  const meta = metaDifference(claim.meta, mergeMeta(steps.flatMap((step) => step.meta ?? [])));
  const status = statusDifference(claim, steps, now);
  const looks = steps.flatMap(({ lookAgainInMs }) => lookAgainInMs ?? []);
  return {
    actions: [...effects, ...updateOf(ref, meta), ...updateStatusOf(ref, status)],
    ...(looks.length === 0 ? {} : { lookAgainInMs: Math.min(...looks) }),
  };
}

const updateOf = (object: ObjectRef, meta: MetaChange | undefined): readonly Action[] =>
  meta === undefined ? [] : [{ kind: 'update', object, meta }];

const updateStatusOf = (object: ObjectRef, status: StatusChange): readonly Action[] =>
  Object.keys(status).length === 0 ? [] : [{ kind: 'updateStatus', object, status }];

const mergeMeta = (changes: readonly MetaChange[]): MetaChange => ({
  ...Object.assign({}, ...changes),
  labels: Object.assign({}, ...changes.map(({ labels }) => labels ?? {})),
  annotations: Object.assign({}, ...changes.map(({ annotations }) => annotations ?? {})),
});

/** What of `change` differs from the object as it stands; undefined where nothing does. */
export function metaDifference(meta: ObjectMeta, change: MetaChange): MetaChange | undefined {
  const labels = differingKeys(meta.labels, change.labels);
  const annotations = differingKeys(meta.annotations, change.annotations);
  const { finalizers, owners } = change;
  const difference: MetaChange = {
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers && !isSameJson(finalizers, meta.finalizers) ? { finalizers } : {}),
    ...(owners && !isSameJson(owners, meta.owners) ? { owners } : {}),
  };
  return Object.keys(difference).length === 0 ? undefined : difference;
}

function differingKeys(
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string | null>> | undefined {
  const differing = Object.entries(wanted)
    .filter(([key, value]) => (present[key] ?? null) !== value)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function statusDifference(
  claim: NodeClaim,
  steps: readonly ClaimStep[],
  now: EpochMs,
): StatusChange {
  const conditions = conditionsAfter(
    claim,
    steps.flatMap((step) => step.conditions ?? []),
    now,
  );
  const wanted: StatusChange = Object.assign({}, ...steps.map(({ status }) => status ?? {}));
  const present: Readonly<Record<string, unknown>> = claim.status;
  const fields = Object.entries(wanted).filter(
    ([field, value]) => !isSameJson(sorted(present[field]), sorted(value)),
  );
  return {
    ...Object.fromEntries(fields),
    ...(conditions === claim.status.conditions ? {} : { conditions }),
  };
}

/** An object's entries by key, so that two with the same entries compare as equal. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;

function conditionsAfter(
  claim: NodeClaim,
  edits: readonly ConditionEdit[],
  now: EpochMs,
): readonly Condition[] {
  const { conditions } = claim.status;
  const { generation, createdAt } = claim.meta;
  const edited = edits.reduce<readonly Condition[]>((list, edit) => {
    if (edit.gone) return withoutCondition(list, edit.type);
    const before = conditionOf(list, edit.type);
    // A dependent that was never written has been Unknown since the object was created.
    const changedAt = before === undefined && isStillUnknown(edit) ? createdAt : now;
    return withCondition(list, { ...edit, observedGeneration: generation }, changedAt);
  }, conditions);
  if (edited === conditions) return conditions;
  return withRoot(edited, { dependents: NODE_CLAIM_LIFE, generation, createdAt }, now);
}

const isStillUnknown = ({ type, status }: Omit<ConditionChange, 'observedGeneration'>): boolean =>
  status === 'Unknown' && NODE_CLAIM_LIFE.includes(type);
