import { LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { deletion } from './giving-up.ts';
import { standsSince } from './launched.ts';
import { type ClaimStep, NO_STEP } from './step.ts';

/** Source of both: karpenter v1.14, nodeclaim/lifecycle/liveness.go. */
const LAUNCH_TIMEOUT_MS = 5 * 60_000;
const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

/** Which deadline a NodeClaim has missed, in the words of upstream's metric, if any. */
export function timeoutOf(
  claim: NodeClaim,
  now: EpochMs,
): 'launch_timeout' | 'registration_timeout' | undefined {
  const { conditions } = claim.status;
  if (isTrue(conditions, REGISTERED)) return undefined;
  const waited = (type: string) => now - standsSince(claim, type);
  if (!isTrue(conditions, LAUNCHED) && waited(LAUNCHED) >= LAUNCH_TIMEOUT_MS) {
    return 'launch_timeout';
  }
  return waited(REGISTERED) >= REGISTRATION_TIMEOUT_MS ? 'registration_timeout' : undefined;
}

/** Deletes a NodeClaim that did not launch or did not register in time; another may do better. */
export function livenessStep(claim: NodeClaim, now: EpochMs): ClaimStep {
  const timeout = timeoutOf(claim, now);
  return timeout === undefined
    ? NO_STEP
    : { actions: [deletion(claim, timeout)], lookAgainInMs: 1_000 };
}
