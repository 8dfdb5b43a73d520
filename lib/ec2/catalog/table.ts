/** A GPU or accelerator model that a type carries, and how many of it. */
export interface Device {
  readonly name: string;
  readonly manufacturer: string;
  readonly count: number;
  /** Of one device; 0 where EC2 does not say. */
  readonly memoryMib: number;
}

/** A Neuron device model that a type carries. */
export interface NeuronDevice {
  readonly name: string;
  readonly count: number;
  readonly coresPerDevice: number;
}

/**
 * The raw facts of one instance type, as EC2 describes them and the same in every region. Labels
 * and capacity are computed from them, because a NodeClass's kubelet settings change the result.
 *
 * Source: EC2 API, DescribeInstanceTypes; network bandwidth and branch interfaces, which EC2 does
 * not answer, from its documentation and from amazon-vpc-resource-controller-k8s.
 */
export interface InstanceTypeFacts {
  readonly name: string;
  readonly vcpus: number;
  readonly cores: number;
  readonly threadsPerCore: number;
  readonly memoryMib: number;
  /** As listed: x86_64, arm64, i386. */
  readonly architectures: readonly string[];
  readonly manufacturer: string;
  /** 0 where EC2 does not say. */
  readonly clockGhz: number;
  /** Interfaces that each network card takes, by card index. */
  readonly cardInterfaces: readonly number[];
  readonly defaultCard: number;
  readonly ipv4PerInterface: number;
  readonly efaInterfaces: number;
  /** Branch interfaces for security groups of pods; 0 where trunking is not possible. */
  readonly branchInterfaces: number;
  /** Published, sustained; 0 where only a word like "Moderate" is published. */
  readonly networkMbps: number;
  /** At most; 0 where the type is not EBS-optimized by default. */
  readonly ebsMbps: number;
  readonly encryptsInTransit: boolean;
  readonly enaSupported: boolean;
  readonly gpus: readonly Device[];
  readonly inferenceAccelerators: readonly Device[];
  readonly neuronDevices: readonly NeuronDevice[];
  /** Decimal gigabytes over all local disks. */
  readonly localStorageGb: number;
  readonly localStorageIsNvme: boolean;
  /** nitro, xen, or '' for bare metal. */
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly burstable: boolean;
  /** on-demand, spot, capacity-block. */
  readonly usageClasses: readonly string[];
  readonly enclavesSupported: boolean;
  /** As listed: amd-sev-snp, nested-virtualization; absent where the source did not tell. */
  readonly processorFeatures?: readonly string[];
  /** Placement groups that take it: cluster, partition, spread; absent where not told. */
  readonly placementStrategies?: readonly string[];
}

/** Where a type is sold: a zone, with its spot price where spot is sold there. */
export interface Sale {
  readonly zone: string;
  readonly spotUsdPerHour?: number;
  /** Where the zone has an on-demand price of its own, as local zones have. */
  readonly onDemandUsdPerHour?: number;
}

/** One instance type as one region sells it. Sales are in the order of the region's zones. */
export interface RegionalType {
  readonly facts: InstanceTypeFacts;
  /** 0 where no price is published: then it is not sold on demand. */
  readonly onDemandUsdPerHour: number;
  readonly sales: readonly Sale[];
}

/** A zone of a region that the account may use, local and wavelength zones among them. */
export interface TableZone {
  readonly name: string;
  readonly id: string;
  /** What the price list calls the place, where it lists prices of its own: us-west-2-lax-1. */
  readonly priceRegion?: string;
}

/** Everything that one region sells, dated. Types are sorted by name, zones by name. */
export interface Ec2Table {
  readonly region: string;
  /** YYYY-MM-DD. */
  readonly pricedAt: string;
  readonly spotPricesAreEstimates: boolean;
  /** The region whose prices stand in for this one's; absent where they are its own. */
  readonly pricesBorrowedFrom?: string;
  readonly zones: readonly TableZone[];
  readonly types: readonly RegionalType[];
}
