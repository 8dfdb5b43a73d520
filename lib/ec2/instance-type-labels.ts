import type { Requirement } from '#lib/constraints/requirement.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import { ARCH, AWS_GROUP, INSTANCE_TYPE, OS, REGION, WINDOWS_BUILD } from '#lib/model/labels.ts';
import type { AmiFamily } from './ami-family.ts';
import type { Device, InstanceTypeFacts } from './table.ts';

const key = (name: string): string => `${AWS_GROUP}/${name}`;

/** Keys of the labels that say how an instance is bought or placed, not what it is. */
export const CAPACITY_RESERVATION_KEYS: readonly string[] = [
  key('capacity-reservation-id'),
  key('capacity-reservation-interruptible'),
  key('capacity-reservation-type'),
];
export const TENANCY = key('instance-tenancy');
export const GPU_COUNT = key('instance-gpu-count');
export const ACCELERATOR_COUNT = key('instance-accelerator-count');

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
    maybe(key('instance-category'), category),
    maybe(key('instance-generation'), generation),
    maybe(key('instance-family'), rest.length === 0 ? series : ''),
    maybe(key('instance-size'), rest.length === 0 ? size : ''),
    is(key('instance-capability-flex'), String(series.includes('-flex'))),
    is(key('instance-cpu'), String(facts.vcpus)),
    maybe(key('instance-cpu-manufacturer'), spelled(facts.manufacturer)),
    is(key('instance-cpu-sustained-clock-speed-mhz'), String(Math.round(facts.clockGhz * 1000))),
    is(key('instance-memory'), String(facts.memoryMib)),
    amount('instance-ebs-bandwidth', facts.ebsMbps),
    amount('instance-network-bandwidth', facts.networkMbps),
    amount('instance-local-nvme', facts.localStorageIsNvme ? facts.localStorageGb : 0),
    is(key('instance-hypervisor'), facts.hypervisor),
    is(key('instance-encryption-in-transit-supported'), String(facts.encryptsInTransit)),
    is(key('nitro-sandbox'), String(facts.enclavesSupported)),
    requirementOf({ key: TENANCY, operator: 'In', values: ['dedicated', 'default'] }),
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
    ...deviceLabels('gpu', gpu),
    gpu === undefined
      ? absent(key('instance-gpu-memory'))
      : is(key('instance-gpu-memory'), String(gpu.memoryMib)),
  ];
}

function acceleratorLabels(facts: InstanceTypeFacts): readonly Requirement[] {
  const { inferenceAccelerators, neuronDevices } = facts;
  const neuron = neuronDevices.length === 1 ? neuronDevices[0] : undefined;
  if (neuron !== undefined) {
    return deviceLabels('accelerator', { ...neuron, manufacturer: 'aws' });
  }
  const only = inferenceAccelerators.length === 1 && neuronDevices.length === 0;
  return deviceLabels('accelerator', only ? inferenceAccelerators[0] : undefined);
}

const deviceLabels = (
  what: 'gpu' | 'accelerator',
  device: Pick<Device, 'name' | 'manufacturer' | 'count'> | undefined,
): readonly Requirement[] => [
  maybe(key(`instance-${what}-name`), spelled(device?.name ?? '')),
  maybe(key(`instance-${what}-manufacturer`), spelled(device?.manufacturer ?? '')),
  // A share of a GPU counts as 0 of them, and is there all the same.
  maybe(key(`instance-${what}-count`), device === undefined ? '' : String(device.count)),
];

/** "Qualcomm AI100" becomes qualcomm-ai100. */
const spelled = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

const is = (labelKey: string, value: string): Requirement =>
  requirementOf({ key: labelKey, operator: 'In', values: [value] });

const absent = (labelKey: string): Requirement =>
  requirementOf({ key: labelKey, operator: 'DoesNotExist' });

const maybe = (labelKey: string, value: string): Requirement =>
  value === '' ? absent(labelKey) : is(labelKey, value);

const amount = (name: string, value: number): Requirement =>
  maybe(key(name), value === 0 ? '' : String(value));
