import { isReschedulable } from '#lib/consent/pods.ts';
import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { standsSince } from '#lib/lifecycle/launch/launched.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { isNodeUnread, nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { INITIALIZED, LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Source of both: karpenter v1.14, nodeclaim/lifecycle/liveness.go. */
const LAUNCH_TIMEOUT_MS = 5 * 60_000;
const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

/**
 * How long a registered node may take to become ready for pods. Upstream waits for ever; as long as
 * it waits for a node that has stopped being Ready before it repairs it, is enough.
 */
const INITIALIZATION_TIMEOUT_MS = 30 * 60_000;

/** A deadline that a NodeClaim has missed: which, in the words of upstream's metric, and when. */
export interface MissedDeadline {
  readonly which: 'launch_timeout' | 'registration_timeout';
  readonly at: EpochMs;
}

/** The deadline that a NodeClaim which is not registered has missed, if any. */
export function missedDeadline(claim: NodeClaim, now: EpochMs): MissedDeadline | undefined {
  const { conditions } = claim.status;
  if (isTrue(conditions, REGISTERED)) return undefined;
  const launchBy = standsSince(claim, LAUNCHED) + LAUNCH_TIMEOUT_MS;
  if (!isTrue(conditions, LAUNCHED) && now >= launchBy) {
    return { which: 'launch_timeout', at: launchBy };
  }
  const registerBy = standsSince(claim, REGISTERED) + REGISTRATION_TIMEOUT_MS;
  return now >= registerBy ? { which: 'registration_timeout', at: registerBy } : undefined;
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
  const missed = missedDeadline(claim, now);
  return missed === undefined
    ? NO_STEP
    : { actions: [deletion(claim, missed.which)], lookAgainInMs: 1_000 };
}
