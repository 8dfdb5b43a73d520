import type { Condition, ObjectMeta } from './object.ts';
import type { EpochMs } from './time.ts';

/** Selects EC2 objects: by tags, id or name; several fields of one term must all hold. */
export interface SelectorTerm {
  readonly tags?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly alias?: string;
  readonly ssmParameter?: string;
}

/** Selects capacity reservations: one by id, or those that all other fields describe. */
export interface CapacityReservationSelectorTerm {
  readonly tags?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly ownerID?: string;
  readonly instanceMatchCriteria?: 'open' | 'targeted';
}

/** Selects one placement group, by name or by id. */
export interface PlacementGroupSelector {
  readonly name?: string;
  readonly id?: string;
}

/** A network interface that each instance is launched with, beside or instead of the usual one. */
export interface NetworkInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: 'interface' | 'efa-only';
}

/** How long idle connections are tracked, in seconds; only the nitro hypervisor can. */
export interface ConnectionTracking {
  readonly tcpEstablishedTimeout?: number;
  readonly udpStreamTimeout?: number;
  readonly udpTimeout?: number;
}

/** What the processors of an instance are set to do. */
export interface CpuOptions {
  readonly nestedVirtualization?: 'enabled' | 'disabled';
}

/** A subnet that a NodeClass resolved to. */
export interface ResolvedSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  /** Addresses still free when it was last looked up; absent where that is not known. */
  readonly freeAddresses?: number;
}

/** A capacity reservation that a NodeClass resolved to: instances that are paid for already. */
export interface ResolvedCapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly ownerId: string;
  readonly instanceMatchCriteria: 'open' | 'targeted';
  readonly reservationType: 'default' | 'capacity-block';
  readonly interruptible: boolean;
  /** expiring: a capacity block that ends within 40 minutes; nothing new is launched into it. */
  readonly state: 'active' | 'expiring';
  readonly endsAt?: EpochMs;
  /** Instances that it could still give when it was last looked up; absent where not known. */
  readonly availableInstances?: number;
  /** When that was; absent where not known. */
  readonly countedAt?: EpochMs;
}

/** The placement group that a NodeClass resolved to. */
export interface ResolvedPlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** How many partitions it has; only those of strategy partition. */
  readonly partitions?: number;
}

/** A security group that a NodeClass resolved to. */
export interface ResolvedSecurityGroup {
  readonly id: string;
  readonly name?: string;
}

/** An image that a NodeClass resolved to, with the types it can boot. */
export interface ResolvedAmi {
  readonly id: string;
  readonly name: string;
  readonly deprecated: boolean;
  readonly requirements: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/**
 * The kubelet settings of a NodeClass that change what a node can hold. Values of reserved
 * resources that are no quantities are expressions. What is of the wrong type is not here: the
 * NodeClass's validation says so, and the spec as it was written stands in `wire`.
 */
export interface KubeletSettings {
  readonly clusterDNS?: readonly string[];
  readonly maxPods?: number;
  /** maxPods where it is written as an expression over the instance type, not as a number. */
  readonly maxPodsExpression?: string;
  readonly podsPerCore?: number;
  readonly systemReserved?: Readonly<Record<string, string>>;
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly evictionHard?: Readonly<Record<string, string>>;
  readonly evictionSoft?: Readonly<Record<string, string>>;
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>;
  readonly evictionMaxPodGracePeriod?: number;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly cpuCFSQuota?: boolean;
}

/** A disk of the launched instance, as EC2 takes it; sizes stay Kubernetes quantities here. */
export interface BlockDeviceMapping {
  readonly deviceName?: string;
  readonly rootVolume?: boolean;
  readonly ebs?: {
    readonly deleteOnTermination?: boolean;
    readonly encrypted?: boolean;
    readonly iops?: number;
    readonly kmsKeyID?: string;
    readonly snapshotID?: string;
    readonly throughput?: number;
    readonly volumeSize?: string;
    readonly volumeType?: string;
    readonly volumeInitializationRate?: number;
  };
}

/** How an instance reaches its own metadata; the defaults are the CRD's. */
export interface MetadataOptions {
  readonly httpEndpoint: string;
  readonly httpProtocolIPv6: string;
  readonly httpPutResponseHopLimit: number;
  readonly httpTokens: string;
}

/** An EC2NodeClass: the AWS half of a template, with what its selectors resolved to. */
export interface NodeClass {
  readonly meta: ObjectMeta;
  readonly spec: {
    readonly subnetSelectorTerms: readonly SelectorTerm[];
    readonly securityGroupSelectorTerms: readonly SelectorTerm[];
    readonly amiSelectorTerms: readonly SelectorTerm[];
    readonly amiFamily?: string;
    readonly role?: string;
    readonly instanceProfile?: string;
    readonly userData?: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly kubelet?: KubeletSettings;
    readonly blockDeviceMappings: readonly BlockDeviceMapping[];
    readonly instanceStorePolicy?: string;
    readonly metadataOptions: MetadataOptions;
    /** Absent: the instances' own; an empty list is not the same as none. */
    readonly networkInterfaces?: readonly NetworkInterface[];
    readonly capacityReservationSelectorTerms: readonly CapacityReservationSelectorTerm[];
    readonly placementGroupSelector?: PlacementGroupSelector;
    readonly ipPrefixCount?: number;
    readonly connectionTracking?: ConnectionTracking;
    readonly cpuOptions?: CpuOptions;
    readonly associatePublicIPAddress?: boolean;
    readonly detailedMonitoring?: boolean;
    readonly context?: string;
  };
  /** The spec as it was written, for hashing and for kubelet, which takes more than we read. */
  readonly wire: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly subnets: readonly ResolvedSubnet[];
    readonly securityGroups: readonly ResolvedSecurityGroup[];
    readonly amis: readonly ResolvedAmi[];
    readonly capacityReservations: readonly ResolvedCapacityReservation[];
    /** Absent where none is selected, or the one that is selected was not found. */
    readonly placementGroup?: ResolvedPlacementGroup;
    readonly instanceProfile?: string;
    readonly conditions: readonly Condition[];
  };
}
