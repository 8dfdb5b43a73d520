/**
 * What a machine's kubelet reports as capacity and allocatable, from the raw facts of the machine:
 * what the firmware and the kernel leave of the memory, and what EKS's AL2023 image holds back.
 *
 * Memory: the kernel reports 48 MiB and 4.6 % less than EC2 states (64 MiB more on arm64), which
 * comes within 1 % of what m5, t3 and m6g nodes report. Prefix delegation and custom networking are
 * not played: pods are limited by interfaces and their addresses.
 *
 * Source: amazon-eks-ami, nodeadm, kubelet config.go (kube-reserved, evictionHard); EKS user guide.
 */
import { parseAmount } from '#lib/constraints/quantity.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Machine, MachineType } from '../machine.ts';
import { type JsonRecord, recordAt } from './json.ts';
import type { NodeConfig } from './node-config.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DEFAULT_ROOT_GIB = 20;
/** What the file system itself takes of the root volume. */
const FILE_SYSTEM_BYTES = 12_308 * 1024;

/** Capacity and allocatable, in the units of Resources, without extended resources. */
export interface NodeCapacity {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/** What the kubelet of `machine` reports, told `config`. */
export function nodeCapacity(machine: Machine, config: NodeConfig): NodeCapacity {
  const { kubelet } = config;
  const { type } = machine;
  const capacity = {
    cpu: type.vcpus * 1000,
    memory: usableMemory(type),
    'ephemeral-storage': diskBytes(machine, config) - FILE_SYSTEM_BYTES,
    pods: maxPods(type, kubelet),
  };
  const kube = { ...kubeReserved(type), ...amounts(kubelet, 'kubeReserved') };
  const system = amounts(kubelet, 'systemReserved');
  const kept = evictionHard(kubelet, capacity);
  const allocatable: Record<string, number> = { ...capacity };
  for (const name of ['cpu', 'memory', 'ephemeral-storage'] as const) {
    const held = (kube[name] ?? 0) + (system[name] ?? 0) + (kept[name] ?? 0);
    allocatable[name] = Math.max(0, capacity[name] - held);
  }
  return { capacity, allocatable };
}

/** Pods' own storage: the root volume, or the instance's disks where they were made into one. */
function diskBytes(machine: Machine, { usesLocalDisks }: NodeConfig): number {
  const local = usesLocalDisks ? (machine.instanceStorageGb ?? 0) * 1e9 : 0;
  return local > 0 ? local : (machine.rootVolumeGib ?? DEFAULT_ROOT_GIB) * GIB;
}

function usableMemory({ memoryMib, architecture }: MachineType): number {
  const held = 48 + memoryMib * 0.046 + (architecture === 'arm64' ? 64 : 0);
  return Math.floor(((memoryMib - held) * MIB) / 4096) * 4096;
}

/** Pods that get an address: each interface keeps one, and two pods use the host's. */
const podAddresses = ({ interfaces, addressesPerInterface }: MachineType): number =>
  interfaces * (addressesPerInterface - 1) + 2;

function maxPods(type: MachineType, kubelet: JsonRecord): number {
  const most = typeof kubelet.maxPods === 'number' ? kubelet.maxPods : podAddresses(type);
  const perCore = typeof kubelet.podsPerCore === 'number' ? kubelet.podsPerCore : 0;
  return perCore > 0 ? Math.min(most, perCore * type.vcpus) : most;
}

function kubeReserved(type: MachineType): Resources {
  return {
    cpu: cpuReserved(type.vcpus * 1000),
    memory: (11 * podAddresses(type) + 255) * MIB,
    'ephemeral-storage': GIB,
  };
}

/** Of each stretch of millicores, the parts per ten thousand that are held back. */
const CPU_STRETCHES: readonly (readonly [number, number])[] = [
  [1000, 600],
  [1000, 100],
  [2000, 50],
  [Number.POSITIVE_INFINITY, 25],
];

function cpuReserved(millicores: number): number {
  let rest = millicores;
  let reserved = 0;
  for (const [width, perTenThousand] of CPU_STRETCHES) {
    const within = Math.min(rest, width);
    reserved += Math.floor((within * perTenThousand) / 10_000);
    rest -= within;
  }
  return reserved;
}

function amounts(kubelet: JsonRecord, field: string): Record<string, number> {
  const parsed: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(recordAt(kubelet, field))) {
    parsed[name] = parseAmount(name, String(quantity)) ?? 0;
  }
  return parsed;
}

function evictionHard(kubelet: JsonRecord, capacity: Resources): Resources {
  const thresholds = {
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    ...recordAt(kubelet, 'evictionHard'),
  };
  return {
    memory: threshold(String(thresholds['memory.available']), capacity.memory ?? 0),
    'ephemeral-storage': threshold(
      String(thresholds['nodefs.available']),
      capacity['ephemeral-storage'] ?? 0,
    ),
  };
}

/** 100 % switches a threshold off. Source: kubernetes v1.36, kubelet/eviction/helpers.go. */
function threshold(text: string, capacity: number): number {
  const [, percent] = /^([\d.]+)%$/.exec(text) ?? [];
  if (percent === undefined) return parseAmount('memory', text) ?? 0;
  return Number(percent) >= 100 ? 0 : Math.floor((capacity * Number(percent)) / 100);
}

const GPU_RESOURCES: Readonly<Record<string, string>> = {
  NVIDIA: 'nvidia.com/gpu',
  AMD: 'amd.com/gpu',
  Habana: 'habana.ai/gaudi',
};

/** What a device plugin makes known of the machine's GPUs. */
export function extendedResources({ gpus }: MachineType): Resources {
  const name = gpus === undefined ? undefined : GPU_RESOURCES[gpus.manufacturer];
  return gpus === undefined || name === undefined ? {} : { [name]: gpus.count };
}
