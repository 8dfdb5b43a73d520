import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What is due later than this is seen by a heartbeat. */
const HEARTBEAT_MS = 60_000;

/**
 * Deletes a NodeClaim that is as old as it may become. Nobody is asked: neither budgets nor
 * do-not-disrupt hold it; its pods leave as those of any node that goes, and wait for others.
 *
 * Source: karpenter v1.14, nodeclaim/expiration/controller.go.
 */
export function expirationStep(claim: NodeClaim, now: EpochMs): ClaimStep {
  const { expireAfter } = claim.spec;
  if (expireAfter === 'Never') return NO_STEP;
  const leftMs = claim.meta.createdAt + expireAfter - now;
  if (leftMs > 0) return leftMs < HEARTBEAT_MS ? { lookAgainInMs: leftMs } : NO_STEP;
  return { actions: [deletion(claim, 'expired')], lookAgainInMs: 1_000 };
}
