import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { LAUNCH_FAILED_AT } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, parseInstant } from '#lib/model/time.ts';

/** What a launch that found no capacity leaves as the reason of Launched. */
const INSUFFICIENT_CAPACITY = 'InsufficientCapacity';

/**
 * Since when a condition of a NodeClaim has been what it is; one that was never written has been
 * Unknown since the NodeClaim was created.
 */
export const standsSince = ({ meta, status }: NodeClaim, type: string): EpochMs =>
  conditionOf(status.conditions, type)?.changedAt ?? meta.createdAt;

/** When it was seen that a NodeClaim has its instance; undefined where that is still open. */
export function launchedAt({ status }: NodeClaim): EpochMs | undefined {
  const launched = conditionOf(status.conditions, LAUNCHED);
  return launched?.status === 'True' ? launched.changedAt : undefined;
}

/** When the last launch of a NodeClaim's group failed; undefined where none did. */
export const launchFailedAt = ({ meta }: NodeClaim): EpochMs | undefined =>
  parseInstant(meta.annotations[LAUNCH_FAILED_AT] ?? '');

/**
 * When the launch of this NodeClaim ended, conclusively, for want of capacity. The condition alone
 * does not say so: it may be that of a group which the NodeClaim has left, for which the instant
 * is taken away.
 */
export const foundNoCapacityAt = (claim: NodeClaim): EpochMs | undefined =>
  claim.status.providerId === undefined &&
  conditionOf(claim.status.conditions, LAUNCHED)?.reason === INSUFFICIENT_CAPACITY
    ? launchFailedAt(claim)
    : undefined;

/** Whether a launch of this NodeClaim ended, conclusively, for want of capacity. */
export const foundNoCapacity = (claim: NodeClaim): boolean =>
  foundNoCapacityAt(claim) !== undefined;
