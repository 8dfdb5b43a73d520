import type { Condition, ObjectMeta } from './object.ts';

/** Selects EC2 objects: by tags, id or name; several fields of one term must all hold. */
export interface SelectorTerm {
  readonly tags?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly alias?: string;
  readonly ssmParameter?: string;
}

/** A subnet that a NodeClass resolved to. */
export interface ResolvedSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  /** Addresses still free when it was looked up; absent where only the status is known. */
  readonly freeAddresses?: number;
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

/** The kubelet settings of a NodeClass that change what a node can hold. */
export interface KubeletSettings {
  readonly clusterDNS?: readonly string[];
  readonly maxPods?: number;
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
    readonly associatePublicIPAddress?: boolean;
    readonly detailedMonitoring?: boolean;
    readonly context?: string;
  };
  /** The spec as it was written, for hashing and for fields that only newer issues read. */
  readonly wire: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly subnets: readonly ResolvedSubnet[];
    readonly securityGroups: readonly ResolvedSecurityGroup[];
    readonly amis: readonly ResolvedAmi[];
    readonly instanceProfile?: string;
    readonly conditions: readonly Condition[];
  };
}
