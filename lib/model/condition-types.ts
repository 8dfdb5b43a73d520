/** The condition types of a NodeClaim. Source: karpenter v1.14, apis/v1/nodeclaim_status.go. */

export const LAUNCHED = 'Launched';
export const REGISTERED = 'Registered';
export const INITIALIZED = 'Initialized';
/** What Ready sums up, in the order of a NodeClaim's life. */
export const NODE_CLAIM_LIFE: readonly string[] = [LAUNCHED, REGISTERED, INITIALIZED];
export const CONSOLIDATABLE = 'Consolidatable';
export const DRIFTED = 'Drifted';
export const DISRUPTION_REASON = 'DisruptionReason';
export const DRAINED = 'Drained';
export const VOLUMES_DETACHED = 'VolumesDetached';
export const INSTANCE_TERMINATING = 'InstanceTerminating';
/** Whether a node has what was expected of it. */
export const CONSISTENT_STATE_FOUND = 'ConsistentStateFound';
