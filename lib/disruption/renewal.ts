import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import { DRIFTED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { RenewalReason } from './drift.ts';
import { isDueToBeReplaced } from './expiry.ts';

/** A node that is to be replaced, and why. */
export interface Outdated {
  readonly state: StateNode;
  readonly reason: RenewalReason;
}

/**
 * The nodes that are no longer what they should be, or near their expiry where that counts, in the
 * order in which they are seen to: those without pods that would have to move, then those that have
 * drifted longest, then those that are oldest.
 *
 * Source: karpenter v1.14, disruption/drift.go, ComputeCommands.
 */
export function outdatedNodes({ nodes, nodePools, takenAt }: Snapshot): readonly Outdated[] {
  const pools = new Map(nodePools.map((pool) => [pool.meta.name, pool]));
  const found = nodes.flatMap((state) => {
    const { claim } = state;
    if (!claim || !isServed(claim.spec.nodeClassRef) || claim.meta.deletedAt !== undefined) {
      return [];
    }
    const drifted = conditionOf(claim.status.conditions, DRIFTED);
    if (drifted?.status === 'True') return [ranked(state, 'Drifted', drifted.changedAt)];
    const pool = pools.get(claim.meta.labels[NODEPOOL] ?? '');
    const isExpiring = pool !== undefined && isDueToBeReplaced(claim, pool, takenAt);
    return isExpiring ? [ranked(state, 'Expired', claim.meta.createdAt)] : [];
  });
  return found
    .sort(
      (a, b) =>
        Number(b.isIdle) - Number(a.isIdle) ||
        compareText(a.reason, b.reason) ||
        a.since - b.since ||
        compareText(a.state.name, b.state.name),
    )
    .map(({ state, reason }) => ({ state, reason }));
}

const ranked = (state: StateNode, reason: RenewalReason, since: EpochMs) => ({
  state,
  reason,
  since,
  isIdle: !state.pods.some(isReschedulable),
});
