import type { Device, InstanceTypeFacts, NeuronDevice } from '#lib/ec2/table.ts';

/** What EC2's own answer leaves out, by instance type. */
export type Limits = Readonly<
  Record<string, { readonly networkMbps?: number; readonly branchInterfaces?: number }>
>;

/** What instance types cost: USD an hour, spot by zone. */
export interface Prices {
  /** YYYY-MM-DD. */
  readonly pricedAt: string;
  readonly spotPricesAreEstimates: boolean;
  readonly onDemandUsd: Readonly<Record<string, number>>;
  readonly spotUsd: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The part of `aws ec2 describe-instance-types` that the table keeps. */
export interface DescribedType {
  readonly InstanceType: string;
  readonly BareMetal?: boolean;
  readonly BurstablePerformanceSupported?: boolean;
  readonly Hypervisor?: string;
  readonly NitroEnclavesSupport?: string;
  readonly SupportedUsageClasses?: readonly string[];
  readonly SupportedVirtualizationTypes?: readonly string[];
  readonly MemoryInfo: { readonly SizeInMiB: number };
  readonly VCpuInfo: {
    readonly DefaultVCpus: number;
    readonly DefaultCores?: number;
    readonly DefaultThreadsPerCore?: number;
  };
  readonly ProcessorInfo: {
    readonly Manufacturer?: string;
    readonly SupportedArchitectures: readonly string[];
    readonly SustainedClockSpeedInGhz?: number;
  };
  readonly EbsInfo?: {
    readonly EbsOptimizedSupport?: string;
    readonly EbsOptimizedInfo?: { readonly MaximumBandwidthInMbps?: number };
  };
  readonly InstanceStorageInfo?: {
    readonly TotalSizeInGB?: number;
    readonly NvmeSupport?: string;
  };
  readonly GpuInfo?: { readonly Gpus?: readonly DescribedDevice[] };
  readonly InferenceAcceleratorInfo?: { readonly Accelerators?: readonly DescribedDevice[] };
  readonly NeuronInfo?: {
    readonly NeuronDevices?: readonly {
      readonly Name: string;
      readonly Count: number;
      readonly CoreInfo?: { readonly Count?: number };
    }[];
  };
  readonly NetworkInfo: {
    readonly DefaultNetworkCardIndex?: number;
    readonly EfaInfo?: { readonly MaximumEfaInterfaces?: number };
    readonly EnaSupport?: string;
    readonly EncryptionInTransitSupported?: boolean;
    readonly Ipv4AddressesPerInterface: number;
    readonly NetworkPerformance?: string;
    readonly NetworkCards: readonly {
      readonly NetworkCardIndex: number;
      readonly MaximumNetworkInterfaces: number;
      readonly BaselineBandwidthInGbps?: number;
    }[];
  };
}

interface DescribedDevice {
  readonly Name: string;
  readonly Manufacturer: string;
  readonly Count: number;
  readonly MemoryInfo?: { readonly SizeInMiB?: number };
}

/** Whether Linux nodes can run on it: hardware virtualization, on x86_64 or arm64. */
export const runsLinux = (type: DescribedType): boolean =>
  (type.SupportedVirtualizationTypes ?? []).includes('hvm') &&
  type.ProcessorInfo.SupportedArchitectures.some((name) => name === 'x86_64' || name === 'arm64');

/** The facts that the table keeps of one described type. */
export function factsOf(type: DescribedType, limits: Limits): InstanceTypeFacts {
  const { ProcessorInfo, VCpuInfo } = type;
  return {
    name: type.InstanceType,
    vcpus: VCpuInfo.DefaultVCpus,
    cores: VCpuInfo.DefaultCores ?? VCpuInfo.DefaultVCpus,
    threadsPerCore: VCpuInfo.DefaultThreadsPerCore ?? 1,
    memoryMib: type.MemoryInfo.SizeInMiB,
    architectures: ProcessorInfo.SupportedArchitectures,
    manufacturer: ProcessorInfo.Manufacturer ?? '',
    clockGhz: ProcessorInfo.SustainedClockSpeedInGhz ?? 0,
    ...networkOf(type, limits),
    ...devicesOf(type),
    ebsMbps:
      type.EbsInfo?.EbsOptimizedSupport === 'default'
        ? (type.EbsInfo.EbsOptimizedInfo?.MaximumBandwidthInMbps ?? 0)
        : 0,
    localStorageGb: type.InstanceStorageInfo?.TotalSizeInGB ?? 0,
    localStorageIsNvme: isOffered(type.InstanceStorageInfo?.NvmeSupport),
    hypervisor: type.Hypervisor ?? '',
    bareMetal: type.BareMetal ?? false,
    burstable: type.BurstablePerformanceSupported ?? false,
    usageClasses: type.SupportedUsageClasses ?? [],
    enclavesSupported: isOffered(type.NitroEnclavesSupport),
  };
}

function networkOf({ InstanceType, NetworkInfo: network }: DescribedType, limits: Limits) {
  const cards = [...network.NetworkCards].sort((a, b) => a.NetworkCardIndex - b.NetworkCardIndex);
  const gbps = cards.reduce((sum, card) => sum + (card.BaselineBandwidthInGbps ?? 0), 0);
  const published = limits[InstanceType];
  // Where nobody published a figure, EC2's own baseline is the nearest to one.
  const networkMbps = published ? (published.networkMbps ?? 0) : Math.trunc(gbps * 1000);
  return {
    cardInterfaces: cards.map(({ MaximumNetworkInterfaces }) => MaximumNetworkInterfaces),
    defaultCard: network.DefaultNetworkCardIndex ?? 0,
    ipv4PerInterface: network.Ipv4AddressesPerInterface,
    efaInterfaces: network.EfaInfo?.MaximumEfaInterfaces ?? 0,
    branchInterfaces: published?.branchInterfaces ?? 0,
    networkMbps,
    encryptsInTransit: network.EncryptionInTransitSupported ?? false,
    enaSupported: isOffered(network.EnaSupport),
  };
}

const devicesOf = (type: DescribedType) => ({
  gpus: (type.GpuInfo?.Gpus ?? []).map(deviceOf),
  inferenceAccelerators: (type.InferenceAcceleratorInfo?.Accelerators ?? []).map(deviceOf),
  neuronDevices: (type.NeuronInfo?.NeuronDevices ?? []).map(
    ({ Name, Count, CoreInfo }): NeuronDevice => ({
      name: Name,
      count: Count,
      coresPerDevice: CoreInfo?.Count ?? 0,
    }),
  ),
});

const deviceOf = (device: DescribedDevice): Device => ({
  name: device.Name,
  manufacturer: device.Manufacturer,
  count: device.Count,
  memoryMib: device.MemoryInfo?.SizeInMiB ?? 0,
});

const isOffered = (support: string | undefined): boolean =>
  support !== undefined && support !== 'unsupported';
