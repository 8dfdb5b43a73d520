/** Keys of labels, annotations, taints and finalizers: Kubernetes', Karpenter's, AWS's and ours. */

export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const ARCH = 'kubernetes.io/arch';
export const OS = 'kubernetes.io/os';
export const HOSTNAME = 'kubernetes.io/hostname';
export const WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

export const NODEPOOL = 'karpenter.sh/nodepool';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const REGISTERED = 'karpenter.sh/registered';
export const INITIALIZED = 'karpenter.sh/initialized';
export const DO_NOT_SYNC_TAINTS = 'karpenter.sh/do-not-sync-taints';
export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
export const NODEPOOL_HASH = 'karpenter.sh/nodepool-hash';
export const NODEPOOL_HASH_VERSION = 'karpenter.sh/nodepool-hash-version';
export const MIN_VALUES_RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
export const TERMINATION_TIMESTAMP = 'karpenter.sh/nodeclaim-termination-timestamp';
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';
export const DISRUPTED = 'karpenter.sh/disrupted';
export const UNREGISTERED = 'karpenter.sh/unregistered';
export const EXCLUDE_BALANCERS = 'node.kubernetes.io/exclude-from-external-load-balancers';

export const AWS_GROUP = 'karpenter.k8s.aws';
export const NODECLASS = 'karpenter.k8s.aws/ec2nodeclass';
export const NODECLASS_HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
export const NODECLASS_HASH_VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
export const NODECLASS_FINALIZER = 'karpenter.k8s.aws/termination';
export const ZONE_ID = 'topology.k8s.aws/zone-id';
export const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';

/** On a NodeClaim from its creation, and a tag of the instances that its launch yields. */
export const LAUNCH_GROUP = 'joinery.dev/launch-group';
/** On a NodeClaim: how many launches of its group came to nothing. */
export const LAUNCH_ATTEMPT = 'joinery.dev/launch-attempt';

/** The namespace of Joinery's Lease and ConfigMaps. */
export const NAMESPACE = 'joinery';
/** What Joinery calls itself in events, leases and field managers. */
export const COMPONENT = 'joinery';
