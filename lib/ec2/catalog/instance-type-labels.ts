import type { Requirement } from '#lib/constraints/requirement.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { AmiFamily } from '#lib/ec2/images/ami-family.ts';
import {
  ARCH,
  INSTANCE_ACCELERATOR_COUNT,
  INSTANCE_ACCELERATOR_MANUFACTURER,
  INSTANCE_ACCELERATOR_NAME,
  INSTANCE_CAPABILITY_FLEX,
  INSTANCE_CATEGORY,
  INSTANCE_CPU,
  INSTANCE_CPU_CLOCK,
  INSTANCE_CPU_MANUFACTURER,
  INSTANCE_EBS_BANDWIDTH,
  INSTANCE_ENCRYPTION_IN_TRANSIT,
  INSTANCE_FAMILY,
  INSTANCE_GENERATION,
  INSTANCE_GPU_COUNT,
  INSTANCE_GPU_MANUFACTURER,
  INSTANCE_GPU_MEMORY,
  INSTANCE_GPU_NAME,
  INSTANCE_HYPERVISOR,
  INSTANCE_LOCAL_NVME,
  INSTANCE_MEMORY,
  INSTANCE_NETWORK_BANDWIDTH,
  INSTANCE_SIZE,
  INSTANCE_TENANCY,
  INSTANCE_TYPE,
  NITRO_SANDBOX,
  OS,
  REGION,
  RESERVATION_ID,
  RESERVATION_INTERRUPTIBLE,
  RESERVATION_TYPE,
  WINDOWS_BUILD,
} from '#lib/model/labels.ts';
import type { Device, InstanceTypeFacts } from './table.ts';

/** Keys of the labels that say how an instance is bought or placed, not what it is. */
export const CAPACITY_RESERVATION_KEYS: readonly string[] = [
  RESERVATION_ID,
  RESERVATION_INTERRUPTIBLE,
  RESERVATION_TYPE,
];

const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

/** Letters, perhaps terabytes of memory, then the generation: u-12tb1 is category u, generation 1. */
const NAME = /^([a-z]+)(?:-\d+tb)?(\d+).*\./;

/**
 * The labels of a type's nodes that follow from its facts, one requirement a label; a label that
 * its nodes never carry does not exist. Zones, capacity type and region are the caller's.
 *
 * Example: m5.large has karpenter.k8s.aws/instance-category In [m].
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, computeRequirements.
 */
export function labelsOf(
  facts: InstanceTypeFacts,
  family: AmiFamily,
  region: string,
): readonly Requirement[] {
  const [, category = '', generation = ''] = NAME.exec(facts.name) ?? [];
  const [series = '', size = '', ...rest] = facts.name.split('.');
  const architecture = architectureOf(facts);
  return [
    is(INSTANCE_TYPE, facts.name),
    is(REGION, region),
    maybe(ARCH, architecture),
    operatingSystem(family, architecture),
    maybe(WINDOWS_BUILD, family.windowsBuild ?? ''),
    maybe(INSTANCE_CATEGORY, category),
    maybe(INSTANCE_GENERATION, generation),
    maybe(INSTANCE_FAMILY, rest.length === 0 ? series : ''),
    maybe(INSTANCE_SIZE, rest.length === 0 ? size : ''),
    is(INSTANCE_CAPABILITY_FLEX, String(series.includes('-flex'))),
    is(INSTANCE_CPU, String(facts.vcpus)),
    maybe(INSTANCE_CPU_MANUFACTURER, spelled(facts.manufacturer)),
    is(INSTANCE_CPU_CLOCK, String(Math.round(facts.clockGhz * 1000))),
    is(INSTANCE_MEMORY, String(facts.memoryMib)),
    amount(INSTANCE_EBS_BANDWIDTH, facts.ebsMbps),
    amount(INSTANCE_NETWORK_BANDWIDTH, facts.networkMbps),
    amount(INSTANCE_LOCAL_NVME, facts.localStorageIsNvme ? facts.localStorageGb : 0),
    is(INSTANCE_HYPERVISOR, facts.hypervisor),
    is(INSTANCE_ENCRYPTION_IN_TRANSIT, String(facts.encryptsInTransit)),
    is(NITRO_SANDBOX, String(facts.enclavesSupported)),
    requirementOf({ key: INSTANCE_TENANCY, operator: 'In', values: ['dedicated', 'default'] }),
    ...gpuLabels(facts),
    ...acceleratorLabels(facts),
    ...CAPACITY_RESERVATION_KEYS.map(absent),
  ];
}

/** The architecture of a type as Kubernetes calls it; '' where it has none that runs Linux. */
export function architectureOf({ architectures }: InstanceTypeFacts): string {
  for (const name of architectures) {
    const known = ARCHITECTURES.get(name);
    if (known !== undefined) return known;
  }
  return '';
}

/** Windows runs on amd64 only: an arm64 type gets no operating system that could match. */
function operatingSystem(family: AmiFamily, architecture: string): Requirement {
  if (family.windowsBuild === undefined) return is(OS, 'linux');
  return architecture === 'amd64' ? is(OS, 'windows') : absent(OS);
}

/** Several GPU models in one type could not be told by one label, so then there is none. */
function gpuLabels({ gpus }: InstanceTypeFacts): readonly Requirement[] {
  const gpu = gpus.length === 1 ? gpus[0] : undefined;
  return [
    ...deviceLabels(GPU, gpu),
    gpu === undefined
      ? absent(INSTANCE_GPU_MEMORY)
      : is(INSTANCE_GPU_MEMORY, String(gpu.memoryMib)),
  ];
}

function acceleratorLabels(facts: InstanceTypeFacts): readonly Requirement[] {
  const { inferenceAccelerators, neuronDevices } = facts;
  const neuron = neuronDevices.length === 1 ? neuronDevices[0] : undefined;
  if (neuron !== undefined) {
    return deviceLabels(ACCELERATOR, { ...neuron, manufacturer: 'aws' });
  }
  const only = inferenceAccelerators.length === 1 && neuronDevices.length === 0;
  return deviceLabels(ACCELERATOR, only ? inferenceAccelerators[0] : undefined);
}

interface DeviceKeys {
  readonly name: string;
  readonly manufacturer: string;
  readonly count: string;
}

const GPU: DeviceKeys = {
  name: INSTANCE_GPU_NAME,
  manufacturer: INSTANCE_GPU_MANUFACTURER,
  count: INSTANCE_GPU_COUNT,
};

const ACCELERATOR: DeviceKeys = {
  name: INSTANCE_ACCELERATOR_NAME,
  manufacturer: INSTANCE_ACCELERATOR_MANUFACTURER,
  count: INSTANCE_ACCELERATOR_COUNT,
};

const deviceLabels = (
  keys: DeviceKeys,
  device: Pick<Device, 'name' | 'manufacturer' | 'count'> | undefined,
): readonly Requirement[] => [
  maybe(keys.name, spelled(device?.name ?? '')),
  maybe(keys.manufacturer, spelled(device?.manufacturer ?? '')),
  // A share of a GPU counts as 0 of them, and is there all the same.
  maybe(keys.count, device === undefined ? '' : String(device.count)),
];

/** "Qualcomm AI100" becomes qualcomm-ai100. */
const spelled = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const is = (labelKey: string, value: string): Requirement =>
  requirementOf({ key: labelKey, operator: 'In', values: [value] });

const absent = (labelKey: string): Requirement =>
  requirementOf({ key: labelKey, operator: 'DoesNotExist' });

const maybe = (labelKey: string, value: string): Requirement =>
  value === '' ? absent(labelKey) : is(labelKey, value);

const amount = (labelKey: string, value: number): Requirement =>
  maybe(labelKey, value === 0 ? '' : String(value));
