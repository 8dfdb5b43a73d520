import type { Ec2Table, RegionalType } from '#lib/ec2/catalog/table.ts';
import type { MachineType } from '#lib/sim/machine.ts';
import { describedType } from './described-type.ts';

/**
 * The instance types of `table` as the embedded EC2 knows them: raw facts and prices, none of the
 * labels and capacities that Joinery computes from the same facts.
 */
export const machineTypes = (table: Ec2Table): readonly MachineType[] =>
  table.types.map(machineType);

function machineType({ facts, onDemandUsdPerHour, sales }: RegionalType): MachineType {
  const gpu = facts.gpus[0];
  const sells = (way: string) => facts.usageClasses.includes(way);
  return {
    name: facts.name,
    vcpus: facts.vcpus,
    memoryMib: facts.memoryMib,
    architecture: facts.architectures.includes('arm64') ? 'arm64' : 'x86_64',
    interfaces: facts.cardInterfaces[facts.defaultCard] ?? 0,
    addressesPerInterface: facts.ipv4PerInterface,
    gpus: gpu && { manufacturer: gpu.manufacturer, count: gpu.count },
    onDemandUsd: sells('on-demand')
      ? Object.fromEntries(sales.map(({ zone }) => [zone, onDemandUsdPerHour]))
      : {},
    described: describedType(facts),
    spotUsd: Object.fromEntries(
      sales.flatMap(({ zone, spotUsdPerHour }) =>
        spotUsdPerHour === undefined ? [] : [[zone, spotUsdPerHour]],
      ),
    ),
  };
}
