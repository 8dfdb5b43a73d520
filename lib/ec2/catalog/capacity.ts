import { parseAmount } from '#lib/constraints/quantity.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { AmiFamily } from '#lib/ec2/images/ami-family.ts';
import type { BlockDeviceMapping, NetworkInterface, NodeClass } from '#lib/model/node-class.ts';
import { architectureOf } from './instance-type-labels.ts';
import type { NodeSettings } from './node-settings.ts';
import type { InstanceTypeFacts } from './table.ts';

const MIB = 1024 * 1024;
const GIGABYTE = 1_000_000_000;
/** What the firmware of an arm64 machine keeps before the hypervisor takes its share. */
const ARM_FIRMWARE_MIB = 64;

/**
 * What a node of this type would tell as its capacity under these settings. Devices that the type
 * does not have are left out.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, computeCapacity.
 */
export function capacityOf(
  facts: InstanceTypeFacts,
  settings: NodeSettings,
  podLimit: number,
): Resources {
  const { nodeClass, family, discoveredMemory, vmMemoryOverheadPercent } = settings;
  const capacity: Record<string, number> = {
    cpu: facts.vcpus * 1000,
    memory: discoveredMemory.get(facts.name) ?? memoryOf(facts, vmMemoryOverheadPercent),
    'ephemeral-storage': ephemeralStorageOf(facts, nodeClass, family),
    pods: podLimit,
  };
  for (const [name, count] of devicesOf(facts, nodeClass, family))
    if (count > 0) capacity[name] = count;
  return capacity;
}

/**
 * Bytes of memory that the guest sees: EC2's figure, less firmware on arm64, less the share that
 * the hypervisor keeps, rounded up to a MiB. An estimate until a node of the type has told.
 */
function memoryOf(facts: InstanceTypeFacts, overheadShare: number): number {
  const firmware = facts.architectures[0] === 'arm64' ? ARM_FIRMWARE_MIB : 0;
  const mib = facts.memoryMib - firmware;
  // Multiplied in this order because floating point decides on which side of a MiB it falls.
  const kept = Math.ceil((mib * MIB * overheadShare) / 1024 / 1024);
  return (mib - kept) * MIB;
}

/** Bytes of the disk that pods write to. */
function ephemeralStorageOf(
  facts: InstanceTypeFacts,
  { spec }: NodeClass,
  family: AmiFamily,
): number {
  if (spec.instanceStorePolicy === 'RAID0' && facts.localStorageGb > 0) {
    return facts.localStorageGb * GIGABYTE;
  }
  const disks = spec.blockDeviceMappings;
  const root = disks.find(({ rootVolume, ebs }) => rootVolume && ebs?.volumeSize !== undefined);
  const chosen = root ?? podDisk(disks, family);
  return bytesOf(chosen?.ebs?.volumeSize ?? family.defaultStorage);
}

const podDisk = (disks: readonly BlockDeviceMapping[], family: AmiFamily) =>
  family.name === 'Custom'
    ? disks.at(-1)
    : disks.find(({ deviceName }) => deviceName === family.ephemeralDevice);

const bytesOf = (size: string): number => parseAmount('ephemeral-storage', size) ?? 0;

function devicesOf(
  facts: InstanceTypeFacts,
  { spec }: NodeClass,
  family: AmiFamily,
): readonly [string, number][] {
  const gpusOf = (manufacturer: string): number =>
    facts.gpus
      .filter((gpu) => gpu.manufacturer === manufacturer)
      .reduce((sum, { count }) => sum + count, 0);
  const [neuron] = facts.neuronDevices;
  return [
    ['nvidia.com/gpu', gpusOf('NVIDIA')],
    ['amd.com/gpu', gpusOf('AMD')],
    ['habana.ai/gaudi', gpusOf('Habana')],
    ['aws.amazon.com/neuron', facts.neuronDevices.reduce((sum, { count }) => sum + count, 0)],
    ['aws.amazon.com/neuroncore', neuron ? neuron.count * neuron.coresPerDevice : 0],
    ['vpc.amazonaws.com/efa', efaInterfacesOf(facts, spec.networkInterfaces)],
    ['vpc.amazonaws.com/pod-eni', facts.branchInterfaces],
    ['vpc.amazonaws.com/PrivateIPv4Address', windowsAddressesOf(facts, family)],
  ];
}

/** All that the type takes; where a NodeClass lists its interfaces, those of them that are. */
const efaInterfacesOf = (facts: InstanceTypeFacts, own: readonly NetworkInterface[] | undefined) =>
  own?.filter(({ interfaceType }) => interfaceType === 'efa-only').length ?? facts.efaInterfaces;

/** Only Windows pods ask for addresses by name, and Windows runs on amd64 only. */
const windowsAddressesOf = (facts: InstanceTypeFacts, family: AmiFamily): number =>
  family.windowsBuild !== undefined && architectureOf(facts) === 'amd64'
    ? facts.ipv4PerInterface - 1
    : 0;
