import { chain, compareText } from '#lib/constraints/order.ts';
import { parseAmount } from '#lib/constraints/quantity.ts';
import { amountOf } from '#lib/constraints/resources.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import { MOST_ROWS } from './plan-text-refusals.ts';
import { textTable } from './text-table.ts';

/** New nodes that are bought alike: of one NodePool, from the same cheapest offering. */
interface Kin {
  readonly first: PlannedNodeClaim;
  readonly members: readonly PlannedNodeClaim[];
}

const HEADS = ['NODES', 'POOL', 'PODS', 'SIZE', 'CHEAPEST', 'TYPES', '$/H', 'ROOM LEFT'];

/**
 * A table of nodes to be. Those that are bought alike share a line: how many they are, how many
 * pods each is for, the price of one, and the room that one has left on average.
 */
export function newNodesText(
  claims: readonly PlannedNodeClaim[],
  catalog: Catalog,
): readonly string[] {
  if (claims.length === 0) return ['No new nodes.', ''];
  const types = typesIn(catalog);
  const kin = [...Map.groupBy(claims, kinOf).values()].flatMap((members): Kin[] => {
    const [first] = members;
    return first ? [{ first, members }] : [];
  });
  const rows = kin.sort(dearestFirst).map((each) => row(each, types));
  const left = kin.slice(MOST_ROWS);
  const more = left.reduce((sum, { members }) => sum + members.length, 0);
  return [
    `New nodes: ${claims.length}`,
    ...textTable([HEADS, ...rows.slice(0, MOST_ROWS)]),
    ...(more > 0 ? [`  and ${more} more, of ${left.length} kinds`] : []),
    ...(kin.length < claims.length
      ? ['  Where a line is for several: pods, price and room of each, the room on average.']
      : []),
    '',
  ];
}

const kinOf = ({ nodePool, cheapest }: PlannedNodeClaim): string =>
  [nodePool, cheapest.instanceType, cheapest.capacityType, cheapest.zone].join(' ');

const costOf = ({ members }: Kin): number =>
  members.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);

/** By NodePool; in it what costs most first. */
const dearestFirst = chain<Kin>(
  (a, b) => compareText(a.first.nodePool, b.first.nodePool),
  (a, b) => costOf(b) - costOf(a),
  (a, b) => compareText(kinOf(a.first), kinOf(b.first)),
);

/** By NodePool and name: an overlay may change what a type has. */
type Types = (claim: PlannedNodeClaim) => InstanceType | undefined;

function typesIn({ byNodeClass, byNodePool }: Catalog): Types {
  const named = (lists: Iterable<readonly InstanceType[]>) =>
    new Map([...lists].flatMap((list) => list.map((type) => [type.name, type] as const)));
  const all = named(byNodeClass.values());
  const ofPool = new Map(
    [...(byNodePool ?? [])].map(([name, list]) => [name, named([list])] as const),
  );
  return ({ nodePool, cheapest: { instanceType } }) =>
    ofPool.get(nodePool)?.get(instanceType) ?? all.get(instanceType);
}

function row({ first, members }: Kin, types: Types): readonly string[] {
  const { instanceType, zone, capacityType } = first.cheapest;
  const type = types(first);
  const average = (resource: string): number =>
    type
      ? members.reduce((sum, each) => sum + roomIn(each, type, resource), 0) / members.length
      : 0;
  return [
    members.length === 1 ? first.name : String(members.length),
    first.nodePool,
    range(members.map(({ pods }) => pods.length)),
    type ? size(amountOf(type.capacity, 'cpu'), amountOf(type.capacity, 'memory')) : '',
    `${instanceType} ${capacityType} ${zone}`,
    range(members.map(({ instanceTypes }) => instanceTypes.length)),
    dollars(first.usdPerHour),
    type ? size(average('cpu'), average('memory')) : '',
  ];
}

/** "8", or "5-9" where they differ. */
function range(counts: readonly number[]): string {
  const least = counts.reduce((so, count) => Math.min(so, count), Number.POSITIVE_INFINITY);
  const most = counts.reduce((so, count) => Math.max(so, count), 0);
  return least === most ? String(most) : `${least}-${most}`;
}

function roomIn(claim: PlannedNodeClaim, type: InstanceType, resource: string): number {
  const used = parseAmount(resource, claim.requests[resource] ?? '0') ?? 0;
  return Math.max(0, amountOf(type.allocatable, resource) - used);
}

const GIB = 1024 ** 3;
const size = (millicores: number, bytes: number): string =>
  `${round(millicores / 1000)} cpu, ${round(bytes / GIB)} GiB`;
const round = (value: number): number => Math.round(value * 10) / 10;

/** Four places: the cheapest spot offerings cost fractions of a cent. */
export const dollars = (usdPerHour: number): string => usdPerHour.toFixed(4);
