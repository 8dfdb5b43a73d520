import { instanceIdOf, zoneOf } from '#lib/lifecycle/provider-id.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodePoolOf, nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { MAINTENANCE, TERMINATION_TIMESTAMP } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { formatInstant } from '#lib/model/time.ts';
import { interruptionStep, isForced } from './interrupted.ts';

/**
 * What EC2's own checks of its instance mean for a NodeClaim, where EC2 was asked. One whose check
 * has failed for a while goes by force: its grace ends now, since nothing on it may be able to
 * answer; work that EC2 has in mind is dealt with as where AWS Health announces it. In a zone that
 * traffic is shifted away from nothing is done, because what EC2 says of it may be wrong.
 *
 * Source: karpenter AWS provider v1.14, interruption/instancestatus.
 */
export function instanceStatusStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { providerId } = claim.status;
  const interruption = around.ailing.get(instanceIdOf(providerId) ?? '');
  if (interruption === undefined || around.shiftedZones.has(zoneOf(providerId) ?? '')) {
    return NO_STEP;
  }
  return claim.meta.deletedAt === undefined
    ? announced(claim, interruption, around)
    : ending(claim, interruption, around);
}

function announced(claim: NodeClaim, interruption: Interruption, around: Surroundings): ClaimStep {
  if (isKnown(interruption, claim.meta.annotations[MAINTENANCE])) return NO_STEP;
  const node = nodesOf(around, claim)[0]?.node;
  const pool = nodePoolOf(around, claim);
  const concerned = { claim, interruption, ...(node && { node }), ...(pool && { pool }) };
  const { actions, goes } = interruptionStep(concerned, around.now);
  return { actions, ...(goes && { lookAgainInMs: 1_000 }) };
}

/**
 * Whether there is nothing new in it: work is noted already, or what is over is not the work that
 * was noted, which AWS Health may have announced since.
 */
function isKnown({ kind, startsAt }: Interruption, noted: string | undefined): boolean {
  if (startsAt === undefined) return false;
  const isNoted = noted === formatInstant(startsAt);
  return kind === 'ScheduledChangeOver' ? !isNoted : isNoted;
}

/** One that is going already need not wait for its pods any more; a date that stands is kept. */
const ending = (
  { meta: { annotations } }: NodeClaim,
  { kind }: Interruption,
  { now }: Surroundings,
): ClaimStep =>
  isForced(kind) && annotations[TERMINATION_TIMESTAMP] === undefined
    ? { meta: { annotations: { [TERMINATION_TIMESTAMP]: formatInstant(now) } } }
    : NO_STEP;
