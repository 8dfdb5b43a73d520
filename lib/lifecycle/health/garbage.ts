import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { isNodeUnread, nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { isInstanceGone } from '#lib/lifecycle/termination/instance-gone.ts';
import { LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';

/**
 * Deletes a NodeClaim whose instance has ended without it. A Node that is Ready vetoes: its
 * kubelet is evidently alive, whatever EC2 says.
 *
 * Source: karpenter v1.14, nodeclaim/garbagecollection/controller.go. There NodeClaims that have
 * not registered are left to their deadline; here they go as soon as their instance is gone.
 */
export function garbageStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions } = claim.status;
  const isLaunched = isTrue(conditions, LAUNCHED) || isTrue(conditions, REGISTERED);
  if (!isLaunched || !isInstanceGone(claim, around)) return NO_STEP;
  const isAlive =
    isNodeUnread(around, claim) ||
    nodesOf(around, claim).some(({ node }) => node?.ready?.status === 'True');
  if (isAlive) return NO_STEP;
  return { actions: [deletion(claim, 'garbage_collected')], lookAgainInMs: 1_000 };
}
