import type { Device, InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';

/**
 * An instance type as DescribeInstanceTypes would describe it, from what the table keeps of it: what
 * the embedded EC2 answers. Of network bandwidth and branch interfaces EC2 says nothing.
 */
export const describedType = (facts: InstanceTypeFacts): unknown => ({
  BareMetal: facts.bareMetal,
  BurstablePerformanceSupported: facts.burstable,
  EbsInfo: ebsInfo(facts),
  GpuInfo: { Gpus: facts.gpus.map(device) },
  Hypervisor: facts.hypervisor === '' ? undefined : facts.hypervisor,
  InferenceAcceleratorInfo: { Accelerators: facts.inferenceAccelerators.map(device) },
  InstanceStorageInfo: {
    NvmeSupport: facts.localStorageIsNvme ? 'required' : 'unsupported',
    TotalSizeInGB: facts.localStorageGb,
  },
  InstanceType: facts.name,
  MemoryInfo: { SizeInMiB: facts.memoryMib },
  NetworkInfo: networkInfo(facts),
  NeuronInfo: {
    NeuronDevices: facts.neuronDevices.map(({ name, count, coresPerDevice }) => ({
      Name: name,
      Count: count,
      CoreInfo: { Count: coresPerDevice },
    })),
  },
  NitroEnclavesSupport: facts.enclavesSupported ? 'supported' : 'unsupported',
  ...(facts.placementStrategies && {
    PlacementGroupInfo: { SupportedStrategies: facts.placementStrategies },
  }),
  ProcessorInfo: {
    Manufacturer: facts.manufacturer,
    SupportedArchitectures: facts.architectures,
    SupportedFeatures: facts.processorFeatures ?? [],
    SustainedClockSpeedInGhz: facts.clockGhz,
  },
  SupportedUsageClasses: facts.usageClasses,
  SupportedVirtualizationTypes: ['hvm'],
  VCpuInfo: {
    DefaultCores: facts.cores,
    DefaultThreadsPerCore: facts.threadsPerCore,
    DefaultVCpus: facts.vcpus,
  },
});

const ebsInfo = ({ ebsMbps }: InstanceTypeFacts) =>
  ebsMbps === 0
    ? { EbsOptimizedSupport: 'unsupported' }
    : {
        EbsOptimizedSupport: 'default',
        EbsOptimizedInfo: { MaximumBandwidthInMbps: ebsMbps },
      };

const networkInfo = (facts: InstanceTypeFacts) => ({
  DefaultNetworkCardIndex: facts.defaultCard,
  EfaInfo: { MaximumEfaInterfaces: facts.efaInterfaces },
  EnaSupport: facts.enaSupported ? 'required' : 'unsupported',
  EncryptionInTransitSupported: facts.encryptsInTransit,
  Ipv4AddressesPerInterface: facts.ipv4PerInterface,
  NetworkCards: facts.cardInterfaces.map((interfaces, index) => ({
    NetworkCardIndex: index,
    MaximumNetworkInterfaces: interfaces,
  })),
});

const device = ({ name, manufacturer, count, memoryMib }: Device) => ({
  Name: name,
  Manufacturer: manufacturer,
  Count: count,
  MemoryInfo: { SizeInMiB: memoryMib },
});
