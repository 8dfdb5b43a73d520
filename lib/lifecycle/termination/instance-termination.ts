import { paced } from '#lib/lifecycle/pace.ts';
import { instanceIdOf, zoneOf } from '#lib/lifecycle/provider-id.ts';
import type { ClaimStep } from '#lib/lifecycle/step.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { INSTANCE_TERMINATING } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';

/** Source: karpenter v1.14, how often an instance's end is asked for again. */
const RETRY_MS = 5_000;
const LOOK_AGAIN_MS = 2_000;

/**
 * Ends the instance of a NodeClaim, unless that is under way, and marks that it was asked for.
 * The finalizers stay until a later look finds the instance gone. In a zone that traffic is shifted
 * away from it waits until that is over.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, Delete.
 */
export function terminateStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const instanceId = instanceIdOf(claim.status.providerId);
  if (instanceId === undefined) return {};
  // Calls for a zone that has trouble would fail, and take from those that help.
  if (around.shiftedZones.has(zoneOf(claim.status.providerId) ?? '')) return {};
  const asked = conditionOf(claim.status.conditions, INSTANCE_TERMINATING);
  const askedLately = asked?.status === 'True' && around.now - asked.changedAt < RETRY_MS;
  const state = around.instances?.get(instanceId)?.state;
  const waitingSince =
    asked?.status === 'True' ? asked.changedAt : (claim.meta.deletedAt ?? around.now);
  const isUnderWay = askedLately || state === 'shutting-down' || state === 'terminated';
  return {
    actions: isUnderWay ? [] : [{ kind: 'terminateInstance', instanceId, claim: claimRef(claim) }],
    conditions: [{ type: INSTANCE_TERMINATING, status: 'True' }],
    lookAgainInMs: paced(LOOK_AGAIN_MS, around.now - waitingSince),
  };
}
