import { isReschedulable } from '#lib/consent/pods.ts';
import { INITIALIZED, LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { deletion } from './giving-up.ts';
import { standsSince } from './launched.ts';
import { type ClaimStep, NO_STEP } from './step.ts';
import { isNodeUnread, nodesOf, type Surroundings } from './surroundings.ts';

/** Source of both: karpenter v1.14, nodeclaim/lifecycle/liveness.go. */
const LAUNCH_TIMEOUT_MS = 5 * 60_000;
const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

/**
 * How long a registered node may take to become ready for pods. Upstream waits for ever; as long as
 * it waits for a node that has stopped being Ready before it repairs it, is enough.
 */
const INITIALIZATION_TIMEOUT_MS = 30 * 60_000;

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

/**
 * Deletes a registered NodeClaim whose node has not become ready for pods in time and serves none:
 * a startup taint that nobody takes off, a network plugin that never starts. A node on which
 * somebody runs something all the same is left to him.
 */
export function initializationTimeoutStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions } = claim.status;
  if (!isTrue(conditions, REGISTERED) || isTrue(conditions, INITIALIZED)) return NO_STEP;
  if (around.now - standsSince(claim, REGISTERED) < INITIALIZATION_TIMEOUT_MS) return NO_STEP;
  if (isNodeUnread(around, claim)) return NO_STEP;
  const isUsed = nodesOf(around, claim).some(({ pods }) => pods.some(isReschedulable));
  return isUsed
    ? NO_STEP
    : { actions: [deletion(claim, 'initialization_timeout')], lookAgainInMs: 1_000 };
}

/** Deletes a NodeClaim that did not launch or did not register in time; another may do better. */
export function livenessStep(claim: NodeClaim, now: EpochMs): ClaimStep {
  const timeout = timeoutOf(claim, now);
  return timeout === undefined
    ? NO_STEP
    : { actions: [deletion(claim, timeout)], lookAgainInMs: 1_000 };
}
