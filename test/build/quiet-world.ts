import { advance } from '#lib/lifecycle/advance.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import type { Action, MetaChange, StatusChange } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { aSnapshot } from './snapshots.ts';

/** A Snapshot after every write to objects that `advance` asks for was made, until it asks for none. */
export function quietWorld(difference: Partial<Snapshot> = {}): Snapshot {
  let snapshot = aSnapshot(difference);
  for (let round = 0; round < 10; round++) {
    const { actions } = advance(snapshot);
    if (actions.length === 0) return snapshot;
    snapshot = applied(snapshot, actions);
  }
  throw new Error('expected ten rounds to be enough, found more to do');
}

/** The Snapshot as the writes among `actions` leave it; other effects are ignored. */
export function applied(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  return actions.reduce(applyOne, snapshot);
}

function applyOne(snapshot: Snapshot, action: Action): Snapshot {
  const touch = <T extends { readonly meta: ObjectMeta }>(object: T): T =>
    afterWrite(object, action, snapshot.takenAt);
  const touchState = ({ node, claim, ...rest }: StateNode): StateNode => ({
    ...rest,
    ...(node ? { node: touch(node) } : {}),
    ...(claim ? { claim: touch(claim) } : {}),
  });
  return {
    ...snapshot,
    nodes: snapshot.nodes.map(touchState),
    nodePools: snapshot.nodePools.map(touch),
    nodeClasses: snapshot.nodeClasses.map(touch),
  };
}

/** An object as a write leaves it; itself where the write is about another one. */
export function afterWrite<T extends { readonly meta: ObjectMeta }>(
  object: T,
  action: Action,
  now: EpochMs,
): T {
  if (action.kind !== 'update' && action.kind !== 'updateStatus' && action.kind !== 'delete') {
    return object;
  }
  if (object.meta.uid !== action.object.uid) return object;
  if (action.kind === 'delete') {
    return { ...object, meta: { ...object.meta, deletedAt: object.meta.deletedAt ?? now } };
  }
  if (action.kind === 'updateStatus') return withStatus(object, action.status);
  const taints = action.taints === undefined ? {} : { taints: action.taints };
  return { ...object, ...taints, meta: withMeta(object.meta, action.meta) };
}

const withStatus = <T>(object: T, status: StatusChange): T =>
  ({ ...object, status: { ...(object as { status?: object }).status, ...status } }) as T;

function withMeta(meta: ObjectMeta, change: MetaChange): ObjectMeta {
  return {
    ...meta,
    labels: merged(meta.labels, change.labels),
    annotations: merged(meta.annotations, change.annotations),
    finalizers: change.finalizers ?? meta.finalizers,
    owners: change.owners ?? meta.owners,
  };
}

function merged(
  present: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...present, ...change });
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}
