import { type Admissions, admissionsFor, type Choice } from '../admission.ts';
import { type Amounts, hasRoom, worth } from '../amounts.ts';
import { accepts, type Host } from '../hosts/hosts.ts';
import type { Ask } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import type { Demand } from './demand-classes.ts';
import type { Prices } from './prices.ts';

/** What a bound is about: the pods on new nodes, and what else there was for them. */
export interface BoundProblem {
  /** The groups with the number of their pods that got new nodes. */
  readonly onNewNodes: readonly Demand[];
  /** The nodes that were there, with the room they had before anything was placed. */
  readonly hosts: readonly Host[];
  /** Those that nodes may be opened in. */
  readonly sources: readonly Source[];
  readonly reservations: ReadonlyMap<string, number>;
  readonly prices: Prices;
  readonly admissions: Admissions;
}

/** Keeps rounding of sums from lifting the bound above the truth. */
const ROUNDING = 1 - 1e-9;

/**
 * USD per hour that every plan adds which places the same pods and puts heavier NodePools first: the
 * larger of two bounds.
 *
 * The first: pods are worth no more than the nodes that carry them cost (see priceOut). Another
 * plan may carry some of them for nothing on nodes that are there, which carry at most what their
 * free room is worth at the dearest prices; or for next to nothing in reservations, which save at
 * most what their room is worth beyond their price, as often as they have instances. Both are
 * taken off.
 *
 * The second: a pod that no existing node takes needs a new one, which costs at least as much as
 * the cheapest that holds it.
 */
export function lowerBound(problem: BoundProblem): number {
  const { onNewNodes, hosts, prices } = problem;
  const value = onNewNodes.reduce(
    (sum, { group, count }) => sum + prices.worthOf(group) * count,
    0,
  );
  const savedOnHosts = hosts.reduce((sum, host) => sum + savedOn(host, problem), 0);
  const byWorth = value - savedOnHosts - savedByReservations(problem);
  const priceList = createPriceLists(problem);
  const bySingle = onNewNodes
    .filter(({ group }) => !hosts.some((host) => couldRunOn(host, group)))
    .map(({ group }) => cheapestNodeFor(group, priceList));
  return Math.max(0, byWorth, ...bySingle) * ROUNDING;
}

function savedOn(host: Host, { onNewNodes, prices }: BoundProblem): number {
  let movable = 0;
  for (const { group, count } of onNewNodes) {
    if (couldRunOn(host, group)) movable += prices.worthOf(group) * count;
  }
  return Math.min(movable, worth(prices.dearest, positive(host.free)));
}

const positive = (amounts: Amounts): Amounts => amounts.map((amount) => Math.max(0, amount));

const couldRunOn = (host: Host, group: PodGroup): boolean =>
  hasRoom(host.free, [], group.amounts) &&
  group.levels.some(({ asks }) => asks.some((ask) => accepts(host, ask)));

function savedByReservations({ sources, reservations, prices }: BoundProblem): number {
  const savings = new Map<string, number>();
  for (const { types } of sources) {
    for (const { offerings, roomAmounts } of types) {
      for (const { reservationId, usdPerHour } of offerings) {
        if (reservationId === undefined) continue;
        const saving = Math.max(0, worth(prices.dearest, positive(roomAmounts)) - usdPerHour);
        savings.set(reservationId, Math.max(saving, savings.get(reservationId) ?? 0));
      }
    }
  }
  return [...savings].reduce(
    (sum, [id, saving]) => sum + saving * Math.max(0, reservations.get(id) ?? 0),
    0,
  );
}

/** Types by what their cheapest node costs, cheapest first, for each way to ask. */
function createPriceLists({ sources, admissions }: BoundProblem) {
  const known = new Map<readonly Ask[], readonly Choice[]>();
  return (asks: readonly Ask[]): readonly Choice[] => {
    const list =
      known.get(asks) ??
      sources
        .flatMap((source) => admissionsFor(source, asks, admissions))
        .flatMap(({ choices }) => [...choices.values()])
        .sort((a, b) => a.usdPerHour - b.usdPerHour);
    known.set(asks, list);
    return list;
  };
}

function cheapestNodeFor(
  { levels, amounts }: PodGroup,
  priceList: ReturnType<typeof createPriceLists>,
): number {
  const cheapest = priceList(levels.at(-1)?.asks ?? NO_ASKS).find(({ sourceType }) =>
    hasRoom(sourceType.roomAmounts, [], amounts),
  );
  return cheapest?.usdPerHour ?? Number.POSITIVE_INFINITY;
}

const NO_ASKS: readonly Ask[] = [];
