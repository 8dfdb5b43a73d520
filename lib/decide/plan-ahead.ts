import { compareText } from '#lib/constraints/order.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NewNodeClaim, NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Creation } from './creations.ts';

/**
 * The Snapshot as the next look would find it once these NodeClaims have been created: what is
 * planned in one part of a decision counts in the next, against limits and as room.
 */
export function withCreated(snapshot: Snapshot, creations: readonly Creation[]): Snapshot {
  if (creations.length === 0) return snapshot;
  const created = creations.map(({ claim }) => stateOf(claim, snapshot.takenAt));
  const nodes = [...snapshot.nodes, ...created].sort((a, b) => compareText(a.name, b.name));
  return { ...snapshot, nodes };
}

const stateOf = (claim: NewNodeClaim, now: EpochMs): StateNode => ({
  name: claim.name,
  claim: asCreated(claim, now),
  pods: [],
});

const asCreated = ({ name, labels, annotations, spec }: NewNodeClaim, now: EpochMs): NodeClaim => ({
  meta: {
    name,
    uid: `planned ${name}`,
    resourceVersion: '',
    generation: 1,
    createdAt: now,
    labels,
    annotations,
    finalizers: [],
    owners: [],
  },
  spec,
  status: { capacity: {}, allocatable: {}, conditions: [] },
});
