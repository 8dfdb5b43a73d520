import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import type { ClaimStep } from '#lib/lifecycle/step.ts';
import { nodePoolOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { LAUNCH_FAILED_AT } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { giveUp } from './giving-up.ts';
import { alike, asNewGroup } from './launch-groups.ts';

/**
 * How many launches a NodeClaim may have that EC2 had no capacity for: spot, on-demand, and once
 * more for what others bought in between.
 */
const MOST_ATTEMPTS = 3;
const LOOK_AGAIN_MS = 1_000;

/**
 * What NodeClaims do that EC2 had no capacity for: what they may be is tried again without the
 * offerings that are sold out now, as a group of its own, so that spot gives way to on-demand; and
 * where nothing is left, or it was tried often enough, they are given up, in upstream's words.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/launch.go, gives every such NodeClaim up at once,
 * and its pods go through as many NodeClaims as it takes to have tried every type.
 */
export function elsewhereSteps(
  claims: readonly NodeClaim[],
  attempt: number,
  around: Surroundings,
): ReadonlyMap<string, ClaimStep> {
  const steps = alike(claims).flatMap((members) => {
    const canBuy = attempt + 1 < MOST_ATTEMPTS && isToBeHad(members, around);
    // With its group a NodeClaim leaves the failure behind, in one write.
    const annotations = { ...asNewGroup(members, attempt + 1), [LAUNCH_FAILED_AT]: null };
    return members.map((claim) => {
      const step = canBuy ? tryAgain(annotations) : giveUpStep(claim);
      return [claim.meta.uid, step] as const;
    });
  });
  return new Map(steps);
}

function isToBeHad(members: readonly NodeClaim[], around: Surroundings): boolean {
  const [first] = members;
  const nodeClass = around.nodeClasses.get(first?.spec.nodeClassRef.name ?? '');
  if (first === undefined || nodeClass === undefined) return false;
  const { catalog, settings } = around.snapshot;
  const pool = nodePoolOf(around, first);
  return !isRejection(launchOf(members, pool, nodeClass, { catalog, settings, attempt: 0 }));
}

const tryAgain = (annotations: Readonly<Record<string, string | null>>): ClaimStep => ({
  meta: { annotations },
  conditions: [
    {
      type: LAUNCHED,
      status: 'Unknown',
      reason: 'AwaitingReconciliation',
      message: 'Other capacity is tried',
    },
  ],
  lookAgainInMs: LOOK_AGAIN_MS,
});

const giveUpStep = (claim: NodeClaim): ClaimStep => ({
  actions: giveUp(
    claim,
    conditionOf(claim.status.conditions, LAUNCHED)?.message ?? '',
    'insufficient_capacity',
  ),
  lookAgainInMs: LOOK_AGAIN_MS,
});
