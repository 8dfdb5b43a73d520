import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** The condition types of a NodeClaim's life. Source: karpenter v1.14, apis/v1/nodeclaim_status.go. */
export const LAUNCHED = 'Launched';
export const REGISTERED_CONDITION = 'Registered';
export const INITIALIZED = 'Initialized';
export const CONSOLIDATABLE = 'Consolidatable';
export const DRIFTED = 'Drifted';
export const DISRUPTION_REASON = 'DisruptionReason';
export const DRAINED = 'Drained';
export const VOLUMES_DETACHED = 'VolumesDetached';
export const INSTANCE_TERMINATING = 'InstanceTerminating';

/** What a launch that found no capacity leaves as the reason of Launched. */
export const INSUFFICIENT_CAPACITY = 'InsufficientCapacity';

/** How far a NodeClaim has come; each phase begins where the one before it ended. */
export type Phase =
  | 'created'
  | 'launched'
  | 'registered'
  | 'initialized'
  /** Its deletion was asked for, however far it had come. */
  | 'terminating';

/** How far a NodeClaim has come, from its own state alone. */
export function phaseOf({ meta, status }: NodeClaim): Phase {
  if (meta.deletedAt !== undefined) return 'terminating';
  if (isTrue(status.conditions, INITIALIZED)) return 'initialized';
  if (isTrue(status.conditions, REGISTERED_CONDITION)) return 'registered';
  return isTrue(status.conditions, LAUNCHED) ? 'launched' : 'created';
}

/**
 * Since when a condition of a NodeClaim has been what it is; one that was never written has been
 * Unknown since the NodeClaim was created.
 */
export const standsSince = ({ meta, status }: NodeClaim, type: string): EpochMs =>
  conditionOf(status.conditions, type)?.changedAt ?? meta.createdAt;

/** Whether a launch of this NodeClaim ended, conclusively, for want of capacity. */
export const foundNoCapacity = ({ status }: NodeClaim): boolean =>
  status.providerId === undefined &&
  conditionOf(status.conditions, LAUNCHED)?.reason === INSUFFICIENT_CAPACITY;
