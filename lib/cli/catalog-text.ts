import { compareText } from '#lib/constraints/order.ts';
import { amountOf, formatResources } from '#lib/constraints/resources.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import type { OfferedTypes } from './file-catalog.ts';
import { textTable } from './text-table.ts';

const HEADS = ['TYPE', 'CPU', 'MEMORY', 'PODS', 'STORAGE', 'DEVICES', 'ZONES', 'ON-DEMAND', 'SPOT'];
const USUAL: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);

/**
 * A catalog for people, cheapest first: what each type leaves to pods, and its best prices in USD
 * an hour. What cannot be bought now stands at the end.
 */
export function catalogText(offered: OfferedTypes, nodeClass: string): readonly string[] {
  const { region, instanceTypes } = offered;
  const pricedAt = offered.pricedAt === 'unknown' ? 'an unknown day' : offered.pricedAt;
  const cheapestFirst = [...instanceTypes].sort(
    (a, b) => bestPrice(a) - bestPrice(b) || compareText(a.name, b.name),
  );
  const estimates = offered.spotPricesAreEstimates ? '; spot prices are estimates' : '';
  return [
    `EC2NodeClass ${nodeClass} in ${region}: ${instanceTypes.length} instance types (prices of ${pricedAt}${estimates})`,
    'What a node leaves to pods, and what it costs per hour where it is cheapest:',
    '',
    ...textTable([HEADS, ...cheapestFirst.map(row)]),
  ];
}

const bestPrice = ({ offerings }: InstanceType): number =>
  offerings.find(({ available }) => available)?.usdPerHour ?? Number.MAX_VALUE;

function row(type: InstanceType): readonly string[] {
  const { allocatable, offerings } = type;
  const told = formatResources(allocatable);
  const devices = Object.entries(told)
    .filter(([name]) => !USUAL.has(name) && amountOf(allocatable, name) > 0)
    .map(([name, count]) => `${count} ${name.replace(/^.*\//, '')}`);
  const zones = new Set(offerings.filter(({ available }) => available).map(({ zone }) => zone));
  return [
    type.name,
    told.cpu ?? '',
    told.memory ?? '',
    told.pods ?? '',
    told['ephemeral-storage'] ?? '',
    devices.join(', '),
    String(zones.size),
    cheapest(offerings, 'on-demand'),
    cheapest(offerings, 'spot'),
  ];
}

function cheapest(offerings: readonly Offering[], capacityType: string): string {
  const found = offerings.find((one) => one.available && one.capacityType === capacityType);
  return found === undefined ? '–' : found.usdPerHour.toFixed(4);
}
