/** The condition types of a NodeClaim. Source: karpenter v1.14, apis/v1/nodeclaim_status.go. */

export const LAUNCHED = 'Launched';
export const REGISTERED = 'Registered';
export const INITIALIZED = 'Initialized';
export const CONSOLIDATABLE = 'Consolidatable';
export const DRIFTED = 'Drifted';
export const DISRUPTION_REASON = 'DisruptionReason';
export const DRAINED = 'Drained';
export const VOLUMES_DETACHED = 'VolumesDetached';
export const INSTANCE_TERMINATING = 'InstanceTerminating';
