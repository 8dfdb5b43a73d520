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
export const PRICE_OVERLAY_APPLIED = 'karpenter.sh/price-overlay-applied';
export const CAPACITY_OVERLAY_APPLIED = 'karpenter.sh/capacity-overlay-applied';
export const TERMINATION_TIMESTAMP = 'karpenter.sh/nodeclaim-termination-timestamp';
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';
export const DISRUPTED = 'karpenter.sh/disrupted';
export const UNREGISTERED = 'karpenter.sh/unregistered';
export const EXCLUDE_BALANCERS = 'node.kubernetes.io/exclude-from-external-load-balancers';

export const AWS_GROUP = 'karpenter.k8s.aws';
export const NODECLASS = 'karpenter.k8s.aws/ec2nodeclass';
export const NODECLASS_HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
export const NODECLASS_HASH_VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
export const TAGGED = 'karpenter.k8s.aws/tagged';
export const CLUSTER_NAME_TAGGED = 'compatibility.karpenter.k8s.aws/cluster-name-tagged';
export const INSTANCE_PROFILE_NAME = 'karpenter.k8s.aws/instance-profile-name';
export const NODECLASS_FINALIZER = 'karpenter.k8s.aws/termination';
export const ZONE_ID = 'topology.k8s.aws/zone-id';
export const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';

/** On a NodeClaim from its creation, and a tag of the instances that its launch yields. */
export const LAUNCH_GROUP = 'joinery.dev/launch-group';
/** On a NodeClaim from its creation: short digests of the pods it was made for, space-separated. */
export const FOR_PODS = 'joinery.dev/for-pods';
/** On a NodeClaim: a digest of the pods that the last look saw on its Node. */
export const PODS_SEEN = 'joinery.dev/pods-seen';
/** On a NodeClaim: that its node is proposed for disruption, as versioned JSON. */
export const DISRUPTION = 'joinery.dev/disruption';
/** On the first member of such a command: the NodeClaims that come first, as versioned JSON. */
export const REPLACEMENTS = 'joinery.dev/replacements';
/** On the first member of such a command: where its pods are meant to go, as versioned JSON. */
export const PLACES = 'joinery.dev/places';
/** On a NodeClaim from its creation: the id of the command whose nodes it replaces. */
export const REPLACES = 'joinery.dev/replaces';
/** On a NodeClaim: that pods were moved to its node to save money, when and from what; JSON. */
export const CONSOLIDATED = 'joinery.dev/consolidated';
/** On a NodeClaim: until when its node is not disrupted again, and why, as versioned JSON. */
export const DISRUPTION_BACK_OFF = 'joinery.dev/disruption-back-off';
/** On a NodeClaim: how many launches of its group came to nothing. */
export const LAUNCH_ATTEMPT = 'joinery.dev/launch-attempt';
/** On a NodeClaim: when a launch of its group last failed; the next one keeps a distance. */
export const LAUNCH_FAILED_AT = 'joinery.dev/launch-failed-at';

/**
 * A startup taint (NoSchedule) of nodes that are waited for together: lifted from all of them at
 * once when the last is up, 45 s after the first joined at the latest.
 */
export const JOINING = 'joinery.dev/joining';
/** On a NodeClaim whose node is so waited for: which others it is waited for with. */
export const BATCH = 'joinery.dev/batch';

/** On a NodePool: when its nodes may be disrupted at all, as a YAML list; see windows.ts. */
export const DISRUPTION_WINDOWS = 'joinery.dev/disruption-windows';
/** On a NodePool: how long before their expiry nodes are replaced, e.g. 24h; not at all where absent. */
export const REPLACE_BEFORE_EXPIRY = 'joinery.dev/replace-before-expiry';
/** On a NodePool: what a rebalance recommendation means for its nodes: `replace`; else nothing. */
export const REBALANCE = 'joinery.dev/rebalance';
/** On a NodeClaim: since when its instance is recommended to be replaced. */
export const REBALANCE_RECOMMENDED = 'joinery.dev/rebalance-recommended-at';
/** On a NodeClaim: when AWS begins to work on its machine. */
export const MAINTENANCE = 'joinery.dev/maintenance-at';
/** On a NodePool: how the last registrations of its nodes ended, as text with a version. */
export const REGISTRATIONS = 'joinery.dev/registrations';

/** On a NodePool: namespaces, comma-separated, for whose pods alone no first node is made. */
export const DO_NOT_WAKE_FOR = 'joinery.dev/do-not-wake-for';
/** On a NodePool: what its nodes may cost together, in USD per hour. */
export const LIMIT_USD_PER_HOUR = 'joinery.dev/limit-usd-per-hour';

/** On an EC2NodeClass: what its status has no field for, as versioned JSON. */
export const RESOLVED = 'joinery.dev/resolved';

/** The namespace of Joinery's Lease and ConfigMaps. */
export const NAMESPACE = 'joinery';
/** What Joinery calls itself in events, leases and field managers. */
export const COMPONENT = 'joinery';

/**
 * What EC2 says of a machine or of how it was bought, as labels of its node.
 *
 * Source: karpenter-provider-aws v1.14, apis/v1/labels.go.
 */
export const INSTANCE_CATEGORY = 'karpenter.k8s.aws/instance-category';
export const INSTANCE_GENERATION = 'karpenter.k8s.aws/instance-generation';
export const INSTANCE_FAMILY = 'karpenter.k8s.aws/instance-family';
export const INSTANCE_SIZE = 'karpenter.k8s.aws/instance-size';
export const INSTANCE_CAPABILITY_FLEX = 'karpenter.k8s.aws/instance-capability-flex';
export const INSTANCE_CPU = 'karpenter.k8s.aws/instance-cpu';
export const INSTANCE_CPU_MANUFACTURER = 'karpenter.k8s.aws/instance-cpu-manufacturer';
export const INSTANCE_CPU_CLOCK = 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz';
export const INSTANCE_MEMORY = 'karpenter.k8s.aws/instance-memory';
export const INSTANCE_EBS_BANDWIDTH = 'karpenter.k8s.aws/instance-ebs-bandwidth';
export const INSTANCE_NETWORK_BANDWIDTH = 'karpenter.k8s.aws/instance-network-bandwidth';
export const INSTANCE_LOCAL_NVME = 'karpenter.k8s.aws/instance-local-nvme';
export const INSTANCE_GPU_NAME = 'karpenter.k8s.aws/instance-gpu-name';
export const INSTANCE_GPU_MANUFACTURER = 'karpenter.k8s.aws/instance-gpu-manufacturer';
export const INSTANCE_GPU_COUNT = 'karpenter.k8s.aws/instance-gpu-count';
export const INSTANCE_GPU_MEMORY = 'karpenter.k8s.aws/instance-gpu-memory';
export const INSTANCE_ACCELERATOR_NAME = 'karpenter.k8s.aws/instance-accelerator-name';
export const INSTANCE_ACCELERATOR_MANUFACTURER =
  'karpenter.k8s.aws/instance-accelerator-manufacturer';
export const INSTANCE_ACCELERATOR_COUNT = 'karpenter.k8s.aws/instance-accelerator-count';
export const INSTANCE_HYPERVISOR = 'karpenter.k8s.aws/instance-hypervisor';
export const INSTANCE_ENCRYPTION_IN_TRANSIT =
  'karpenter.k8s.aws/instance-encryption-in-transit-supported';
export const NITRO_SANDBOX = 'karpenter.k8s.aws/nitro-sandbox';
export const INSTANCE_TENANCY = 'karpenter.k8s.aws/instance-tenancy';
export const RESERVATION_TYPE = 'karpenter.k8s.aws/capacity-reservation-type';
export const RESERVATION_INTERRUPTIBLE = 'karpenter.k8s.aws/capacity-reservation-interruptible';
export const PLACEMENT_GROUP_ID = 'karpenter.k8s.aws/placement-group-id';
export const PLACEMENT_GROUP_PARTITION = 'karpenter.k8s.aws/placement-group-partition';

/**
 * The labels that every instance type answers for, so that a pod may ask for them although no
 * NodePool mentions them.
 *
 * Source: karpenter v1.14, apis/v1/labels.go, WellKnownLabels; karpenter-provider-aws v1.14,
 * apis/v1/labels.go, which adds to them.
 */
export const WELL_KNOWN: ReadonlySet<string> = new Set([
  NODEPOOL,
  CAPACITY_TYPE,
  ZONE,
  ZONE_ID,
  REGION,
  INSTANCE_TYPE,
  ARCH,
  OS,
  WINDOWS_BUILD,
  INSTANCE_CATEGORY,
  INSTANCE_GENERATION,
  INSTANCE_FAMILY,
  INSTANCE_SIZE,
  INSTANCE_CAPABILITY_FLEX,
  INSTANCE_CPU,
  INSTANCE_CPU_MANUFACTURER,
  INSTANCE_CPU_CLOCK,
  INSTANCE_MEMORY,
  INSTANCE_EBS_BANDWIDTH,
  INSTANCE_NETWORK_BANDWIDTH,
  INSTANCE_LOCAL_NVME,
  INSTANCE_GPU_NAME,
  INSTANCE_GPU_MANUFACTURER,
  INSTANCE_GPU_COUNT,
  INSTANCE_GPU_MEMORY,
  INSTANCE_ACCELERATOR_NAME,
  INSTANCE_ACCELERATOR_MANUFACTURER,
  INSTANCE_ACCELERATOR_COUNT,
  INSTANCE_HYPERVISOR,
  INSTANCE_ENCRYPTION_IN_TRANSIT,
  NITRO_SANDBOX,
  INSTANCE_TENANCY,
  RESERVATION_ID,
  RESERVATION_TYPE,
  RESERVATION_INTERRUPTIBLE,
  PLACEMENT_GROUP_ID,
  PLACEMENT_GROUP_PARTITION,
]);

/** Domains in which only well-known keys may be asked for, subdomains included; sorted. */
export const RESTRICTED_DOMAINS: readonly string[] = [AWS_GROUP, 'karpenter.sh'];

/** Keys that nobody may ask for, although their domains are open. */
const RESTRICTED: ReadonlySet<string> = new Set([HOSTNAME]);

/**
 * Whether nobody may ask for a label key, because its value is the provisioner's to set.
 *
 * Source: karpenter v1.14, apis/v1/labels.go, IsRestrictedLabel.
 */
export function isRestrictedLabel(key: string): boolean {
  if (WELL_KNOWN.has(key)) return false;
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return (
    RESTRICTED.has(key) ||
    RESTRICTED_DOMAINS.some((closed) => domain === closed || domain.endsWith(`.${closed}`))
  );
}

/**
 * The labels whose values are a closed list.
 *
 * Source: karpenter v1.14, apis/v1/labels.go, WellKnownValuesForRequirements;
 * karpenter-provider-aws v1.14, apis/v1/labels.go.
 */
export const KNOWN_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  [CAPACITY_TYPE, ['on-demand', 'reserved', 'spot']],
  [INSTANCE_TENANCY, ['dedicated', 'default']],
]);
