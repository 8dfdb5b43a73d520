import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

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

/** Whether a launch of this NodeClaim ended, conclusively, for want of capacity. */
export const foundNoCapacity = ({ status }: NodeClaim): boolean =>
  status.providerId === undefined &&
  conditionOf(status.conditions, LAUNCHED)?.reason === INSUFFICIENT_CAPACITY;
