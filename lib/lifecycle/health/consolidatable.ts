import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodePoolOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { CONSOLIDATABLE, INITIALIZED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

/**
 * From when on a NodeClaim's node has been quiet for as long as its pool demands; undefined where
 * that never comes: not initialized, a static pool, or a pool that never consolidates.
 *
 * Source: karpenter v1.14, nodeclaim/disruption/consolidation.go, Reconcile.
 */
function quietFrom(
  claim: NodeClaim,
  lastPodEventAt: EpochMs | undefined,
  around: Surroundings,
): EpochMs | undefined {
  const pool = nodePoolOf(around, claim);
  const { conditions } = claim.status;
  if (!pool || pool.replicas !== undefined || !isTrue(conditions, INITIALIZED)) return undefined;
  const { consolidateAfter } = pool.disruption;
  if (consolidateAfter === 'Never') return undefined;
  const initializedAt = conditionOf(conditions, INITIALIZED)?.changedAt ?? around.now;
  return (lastPodEventAt ?? initializedAt) + consolidateAfter;
}

/**
 * Marks a NodeClaim whose node has been quiet long enough to be disrupted, and unmarks it. Where its
 * pool is not there, nobody can tell.
 */
export function consolidatableStep(
  claim: NodeClaim,
  lastPodEventAt: EpochMs | undefined,
  around: Surroundings,
): ClaimStep {
  if (!nodePoolOf(around, claim)) return NO_STEP;
  const from = quietFrom(claim, lastPodEventAt, around);
  if (from !== undefined && around.now >= from) {
    return { conditions: [{ type: CONSOLIDATABLE, status: 'True' }] };
  }
  return {
    conditions: [{ type: CONSOLIDATABLE, gone: true }],
    ...(from === undefined ? {} : { lookAgainInMs: from - around.now }),
  };
}
