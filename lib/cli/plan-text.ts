import { compareText } from '#lib/constraints/order.ts';
import { parseAmount } from '#lib/constraints/quantity.ts';
import { amountOf } from '#lib/constraints/resources.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { Action, Plan, PlannedNodeClaim, Refusal } from '#lib/model/plan.ts';
import { textTable } from './text-table.ts';

/** Rows and names beyond these are only counted. */
const MOST_ROWS = 50;
const MOST_NAMES = 3;

/**
 * A plan for people, line by line: the nodes to be, what goes on nodes that are there, who is
 * refused and why, what it costs, and what would be done next.
 */
export function planText(plan: Plan, catalog: Catalog): readonly string[] {
  return [
    `Plan: ${plan.decision} at ${plan.takenAt}`,
    '',
    ...newNodes(plan.nodeClaims, catalog),
    ...placed(plan),
    ...commands(plan),
    ...refusals(plan.refused),
    ...total(plan, catalog),
    ...section('Warnings', plan.warnings),
    ...section('Next', next(plan)),
  ].slice(0, -1);
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ''];

function newNodes(claims: readonly PlannedNodeClaim[], catalog: Catalog): readonly string[] {
  if (claims.length === 0) return ['No new nodes.', ''];
  const types = new Map<string, InstanceType>();
  for (const list of catalog.byNodeClass.values()) {
    for (const type of list) types.set(type.name, type);
  }
  const heads = ['NAME', 'POOL', 'PODS', 'SIZE', 'CHEAPEST', 'TYPES', '$/H', 'ROOM LEFT'];
  const rows = claims.slice(0, MOST_ROWS).map((claim) => row(claim, types));
  const more = claims.length - rows.length;
  return [
    `New nodes: ${claims.length}`,
    ...textTable([heads, ...rows]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    '',
  ];
}

function row(claim: PlannedNodeClaim, types: ReadonlyMap<string, InstanceType>): readonly string[] {
  const { instanceType, zone, capacityType } = claim.cheapest;
  const type = types.get(instanceType);
  return [
    claim.name,
    claim.nodePool,
    String(claim.pods.length),
    type ? size(amountOf(type.capacity, 'cpu'), amountOf(type.capacity, 'memory')) : '',
    `${instanceType} ${capacityType} ${zone}`,
    String(claim.instanceTypes.length),
    dollars(claim.usdPerHour),
    type ? size(roomIn(claim, type, 'cpu'), roomIn(claim, type, 'memory')) : '',
  ];
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
const dollars = (usdPerHour: number): string => usdPerHour.toFixed(4);

function placed({ placements }: Plan): readonly string[] {
  const counts = new Map<string, number>();
  for (const { node, nodeClaim } of placements) {
    const name = node ?? `${nodeClaim} (on its way)`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const lines = [...counts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, count]) => `${name}: ${pods(count)}`);
  return section('On nodes that are there', lines);
}

function commands({ commands: list, kept }: Plan): readonly string[] {
  return [
    ...section(
      'Nodes to go',
      list.map(({ reason, remove, savesUsdPerHour }) => {
        return `${remove.join(', ')}: ${reason}, saves $${dollars(savesUsdPerHour)}/h`;
      }),
    ),
    ...section(
      'Nodes that stay',
      kept.map(({ node, because }) => `${node}: ${because}`),
    ),
  ];
}

/** Pods that are refused for the same reason are told of together. */
function refusals(refused: readonly Refusal[]): readonly string[] {
  const groups = [
    ...Map.groupBy(refused, ({ because, nodePools }) =>
      JSON.stringify([because, nodePools]),
    ).values(),
  ];
  const lines = groups.flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const names = members.slice(0, MOST_NAMES).map(({ pod }) => pod);
    const more = members.length > MOST_NAMES ? ', …' : '';
    const byPool = first.nodePools.length > 1 ? first.nodePools : [];
    return [
      `${pods(members.length)} (${names.join(', ')}${more}): ${first.because}`,
      ...byPool.map(({ nodePool, because }) => `  NodePool ${nodePool}: ${because}`),
    ];
  });
  return section(`Refused (${pods(refused.length)})`, lines);
}

const pods = (count: number): string => (count === 1 ? '1 pod' : `${count} pods`);

/** "$1.9200/h, at most 2.1 % above the cheapest possible", and whether prices are estimates. */
function total(plan: Plan, catalog: Catalog): readonly string[] {
  if (plan.nodeClaims.length === 0) return [];
  const { usdPerHour, lowerBoundUsdPerHour } = plan;
  const above = (usdPerHour / lowerBoundUsdPerHour - 1) * 100;
  const bound =
    lowerBoundUsdPerHour > 0
      ? `at most ${round(Math.max(0, above))} % above the cheapest possible`
      : 'how near that is to the cheapest possible is not known';
  const usesSpot = plan.nodeClaims.some(({ cheapest }) => cheapest.capacityType === 'spot');
  const estimates = usesSpot && catalog.spotPricesAreEstimates ? '; spot prices are estimates' : '';
  return [
    `Total: $${dollars(usdPerHour)}/h, ${bound} (prices of ${catalog.pricedAt}${estimates})`,
    '',
  ];
}

const WORDS: Readonly<Record<Action['kind'], string>> = {
  createNodeClaim: 'create NodeClaims',
  launch: 'launch instances',
  adoptInstance: 'tell NodeClaims of their instances',
  update: 'update objects',
  updateStatus: 'update statuses',
  delete: 'delete objects',
  evict: 'evict pods',
  forceDelete: 'delete pods that will not go',
  terminateInstance: 'terminate instances',
  ensureInstanceProfile: 'make instance profiles',
  deleteInstanceProfile: 'delete instance profiles',
  deleteLaunchTemplate: 'delete launch templates',
  refreshMarket: 'ask EC2 again what it sells',
  rememberMemory: 'remember the memory of nodes',
  recordEvent: 'record events',
};

function next({ actions, lookAgainAt }: Plan): readonly string[] {
  const counts = new Map<Action['kind'], number>();
  for (const { kind } of actions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const lines = [...counts].map(([kind, count]) => `${WORDS[kind]}: ${count}`);
  if (lookAgainAt !== undefined) lines.push(`look again at ${lookAgainAt}`);
  return lines;
}
