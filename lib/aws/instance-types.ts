import type {
  GpuDeviceInfo,
  InferenceDeviceInfo,
  InstanceTypeInfo,
  NeuronDeviceInfo,
} from '@aws-sdk/client-ec2';
import type { Device, InstanceTypeFacts, NeuronDevice } from '#lib/ec2/catalog/table.ts';

/** One item of DescribeInstanceTypes, the SDK's list of the names that it knows left aside. */
export type DescribedType = Omit<InstanceTypeInfo, 'InstanceType'> & {
  readonly InstanceType: string;
};

/** What EC2's own answer leaves out, by instance type. */
export type Limits = Readonly<
  Record<string, { readonly networkMbps?: number; readonly branchInterfaces?: number }>
>;

/** Whether Linux nodes can run on it: hardware virtualization, on x86_64 or arm64. */
export const runsLinux = (type: DescribedType): boolean =>
  (type.SupportedVirtualizationTypes ?? []).includes('hvm') &&
  (type.ProcessorInfo?.SupportedArchitectures ?? []).some(
    (name) => name === 'x86_64' || name === 'arm64',
  );

/** The facts that the table keeps of one described type. */
export function factsOf(type: DescribedType, limits: Limits): InstanceTypeFacts {
  const strategies = type.PlacementGroupInfo?.SupportedStrategies;
  return {
    name: type.InstanceType,
    memoryMib: type.MemoryInfo?.SizeInMiB ?? 0,
    ...processorOf(type),
    ...networkOf(type, limits),
    ...devicesOf(type),
    ...storageOf(type),
    hypervisor: type.Hypervisor ?? '',
    bareMetal: type.BareMetal ?? false,
    burstable: type.BurstablePerformanceSupported ?? false,
    usageClasses: type.SupportedUsageClasses ?? [],
    enclavesSupported: isOffered(type.NitroEnclavesSupport),
    ...(strategies !== undefined && { placementStrategies: strategies }),
  };
}

function processorOf({ ProcessorInfo, VCpuInfo }: DescribedType) {
  const vcpus = VCpuInfo?.DefaultVCpus ?? 0;
  return {
    vcpus,
    cores: VCpuInfo?.DefaultCores ?? vcpus,
    threadsPerCore: VCpuInfo?.DefaultThreadsPerCore ?? 1,
    architectures: ProcessorInfo?.SupportedArchitectures ?? [],
    manufacturer: ProcessorInfo?.Manufacturer ?? '',
    clockGhz: ProcessorInfo?.SustainedClockSpeedInGhz ?? 0,
    processorFeatures: ProcessorInfo?.SupportedFeatures ?? [],
  };
}

function networkOf({ InstanceType, NetworkInfo: network }: DescribedType, limits: Limits) {
  const cards = (network?.NetworkCards ?? []).toSorted(
    (a, b) => (a.NetworkCardIndex ?? 0) - (b.NetworkCardIndex ?? 0),
  );
  const gbps = cards.reduce((sum, card) => sum + (card.BaselineBandwidthInGbps ?? 0), 0);
  const published = limits[InstanceType];
  // Where nobody published a figure, EC2's own baseline is the nearest to one.
  const networkMbps = published ? (published.networkMbps ?? 0) : Math.trunc(gbps * 1000);
  return {
    cardInterfaces: cards.map(({ MaximumNetworkInterfaces = 0 }) => MaximumNetworkInterfaces),
    defaultCard: network?.DefaultNetworkCardIndex ?? 0,
    ipv4PerInterface: network?.Ipv4AddressesPerInterface ?? 0,
    efaInterfaces: network?.EfaInfo?.MaximumEfaInterfaces ?? 0,
    branchInterfaces: published?.branchInterfaces ?? 0,
    networkMbps,
    encryptsInTransit: network?.EncryptionInTransitSupported ?? false,
    enaSupported: isOffered(network?.EnaSupport),
  };
}

const storageOf = ({ EbsInfo, InstanceStorageInfo }: DescribedType) => ({
  ebsMbps:
    EbsInfo?.EbsOptimizedSupport === 'default'
      ? (EbsInfo.EbsOptimizedInfo?.MaximumBandwidthInMbps ?? 0)
      : 0,
  localStorageGb: InstanceStorageInfo?.TotalSizeInGB ?? 0,
  localStorageIsNvme: isOffered(InstanceStorageInfo?.NvmeSupport),
});

const devicesOf = (type: DescribedType) => ({
  gpus: (type.GpuInfo?.Gpus ?? []).map(deviceOf),
  inferenceAccelerators: (type.InferenceAcceleratorInfo?.Accelerators ?? []).map(deviceOf),
  neuronDevices: (type.NeuronInfo?.NeuronDevices ?? []).map(neuronOf),
});

const deviceOf = (device: GpuDeviceInfo | InferenceDeviceInfo): Device => ({
  name: device.Name ?? '',
  manufacturer: device.Manufacturer ?? '',
  count: device.Count ?? 0,
  memoryMib: device.MemoryInfo?.SizeInMiB ?? 0,
});

const neuronOf = ({ Name = '', Count = 0, CoreInfo }: NeuronDeviceInfo): NeuronDevice => ({
  name: Name,
  count: Count,
  coresPerDevice: CoreInfo?.Count ?? 0,
});

const isOffered = (support: string | undefined): boolean =>
  support !== undefined && support !== 'unsupported';
