import { type Amounts, plus } from '#lib/solver/amounts.ts';
import { WASTE_OF_SEVERAL } from './merge.ts';
import type { Mover } from './movers.ts';
import {
  byWaste,
  dearestFirst,
  largestFirst,
  type Prospect,
  type SearchProblem,
} from './prospect.ts';
import type { Fit } from './rooms.ts';

/** Which nodes would go if nothing but room and money counted. */
export interface Blueprint {
  /** Nodes whose pods all have room on nodes that stay; those that waste most first. */
  readonly deletions: readonly Prospect[];
  /** Nodes of which some pods need new nodes, in groups that are replaced together. */
  readonly merges: readonly (readonly Prospect[])[];
  /** By uid of a pod: the node that it goes to. */
  readonly places: ReadonlyMap<string, string>;
}

/** Work limits: sets that are judged, and those times the pods of all prospects that are regarded. */
const MOST_JUDGED = 2_000;
const FEWEST_REGARDED = 64;
const MOST_LOOKS = 4_000_000;
/**
 * Looks for the set of nodes without which the cluster costs least, moves counted at what they have
 * to bring: from several orders, nodes are added one by one as long as that pays, then taken back,
 * added and exchanged until nothing pays any more. No pod goes to a node that is to go itself, so
 * that none moves twice. Consent for numbers of nodes is not regarded: who may go today is asked for
 * later, and tomorrow the rest of the same picture is left.
 *
 * Cost: sets that are judged × pods of the nodes in them.
 */
export function drawBlueprint(all: readonly Prospect[], problem: SearchProblem): Blueprint {
  const prospects = all.slice(0, Math.max(FEWEST_REGARDED, 2 * problem.mostNodes));
  const judge = createJudge(prospects, problem);
  let best: ReadonlySet<Prospect> = new Set();
  let bestCost = judge.costOf(best);
  for (const order of ORDERS) {
    const grown = descend(new Set(), prospects.toSorted(order), judge);
    if (grown.cost < bestCost - EPSILON) [best, bestCost] = [grown.set, grown.cost];
  }
  best = exchange(best, bestCost, prospects, judge);
  return toBlueprint(best, judge, problem.mostTogether);
}

const EPSILON = 1e-9;

const ORDERS: readonly ((a: Prospect, b: Prospect) => number)[] = [
  byWaste,
  (a, b) => perMove(b) - perMove(a) || byWaste(a, b),
  (a, b) => b.source.usdPerHour - b.worth - (a.source.usdPerHour - a.worth) || byWaste(a, b),
  (a, b) => perWorth(b) - perWorth(a) || byWaste(a, b),
];

const perMove = ({ source, movers }: Prospect): number => source.usdPerHour / (1 + movers.length);
const perWorth = ({ source, worth }: Prospect): number => source.usdPerHour / (worth + 1e-6);

interface Judge {
  readonly costOf: (set: ReadonlySet<Prospect>) => number;
  readonly fitOf: (set: ReadonlySet<Prospect>) => {
    readonly left: readonly Mover[];
    readonly places: ReadonlyMap<string, string>;
  };
  readonly isSpent: () => boolean;
  readonly owners: ReadonlyMap<Mover, Prospect>;
}

const NOTHING_LEFT = { placed: [], left: [], restUsdPerHour: 0 };

function createJudge(prospects: readonly Prospect[], problem: SearchProblem): Judge {
  const { rooms, hurdle } = problem;
  const owners = new Map(
    prospects.flatMap((each) => each.movers.map((mover) => [mover, each] as const)),
  );
  const movers = [...owners.keys()];
  const orders = [movers.toSorted(dearestFirst(problem.prices)), movers.toSorted(largestFirst)];
  const most = Math.min(MOST_JUDGED, Math.ceil(MOST_LOOKS / Math.max(1, movers.length)));
  let judged = 0;
  const fitting = (set: ReadonlySet<Prospect>): Fit & { readonly restUsdPerHour: number } => {
    const names = new Set([...set].map(({ source }) => source.name));
    let best: (Fit & { readonly restUsdPerHour: number }) | undefined;
    for (const order of orders) {
      const found = rooms.fit(
        order.filter((mover) => isIn(set, owners.get(mover))),
        names,
      );
      const restUsdPerHour = costOfRest(found.left, owners, problem);
      if (!best || restUsdPerHour < best.restUsdPerHour) best = { ...found, restUsdPerHour };
      if (found.left.length === 0) break;
    }
    return best ?? NOTHING_LEFT;
  };
  return {
    owners,
    isSpent: () => judged >= most,
    costOf: (set) => {
      judged++;
      const { restUsdPerHour } = fitting(set);
      let [moves, removed] = [0, 0];
      for (const { movers, source } of set) {
        moves += movers.length;
        removed += source.usdPerHour;
      }
      return restUsdPerHour + hurdle.of(moves, set.size) - removed;
    },
    fitOf: (set) => {
      const { placed, left } = fitting(set);
      return { left, places: new Map(placed.map(({ mover, host }) => [mover.pod.meta.uid, host])) };
    },
  };
}

const isIn = (set: ReadonlySet<Prospect>, prospect: Prospect | undefined): boolean =>
  prospect !== undefined && set.has(prospect);

/** What new nodes for the rest would cost, if nodes are replaced as many together as may go. */
function costOfRest(
  left: readonly Mover[],
  owners: ReadonlyMap<Mover, Prospect>,
  problem: SearchProblem,
): number {
  if (left.length === 0) return 0;
  const groups = inGroups(left, owners, problem.mostTogether);
  return groups.reduce((sum, group) => sum + costOfGroup(group, owners, problem), 0);
}

/** The rest of each node, and of several nodes together where several may go at once. */
function inGroups(
  left: readonly Mover[],
  owners: ReadonlyMap<Mover, Prospect>,
  size: number,
): readonly (readonly Mover[])[] {
  const byOwner = [...Map.groupBy(left, (mover) => owners.get(mover))];
  if (byOwner.length <= size) return [left];
  const sorted = byOwner.sort(([a], [b]) => (a && b ? byWaste(a, b) : 0)).map(([, own]) => own);
  const groups: (readonly Mover[])[] = [];
  for (let at = 0; at < sorted.length; at += size) groups.push(sorted.slice(at, at + size).flat());
  return groups;
}

function costOfGroup(
  left: readonly Mover[],
  owners: ReadonlyMap<Mover, Prospect>,
  { prices, spotToSpot, axes }: SearchProblem,
): number {
  const isSpot = (mover: Mover): boolean => owners.get(mover)?.source.capacityType === 'spot';
  if (!spotToSpot && left.every(isSpot)) return Number.POSITIVE_INFINITY;
  const amounts = left.reduce<Amounts>(
    (sum, { kind }) => plus(sum, kind.amounts),
    axes.map(() => 0),
  );
  const largest = left.reduce((most, { kind }) => Math.max(most, prices.nodeFor(kind.amounts)), 0);
  const several = Math.max(prices.worth(amounts) * WASTE_OF_SEVERAL, largest);
  return Math.min(prices.nodeFor(amounts), several);
}

interface Descent {
  readonly set: ReadonlySet<Prospect>;
  readonly cost: number;
}

/** Adds and takes back, in this order, whatever pays, until nothing does. */
function descend(from: ReadonlySet<Prospect>, order: readonly Prospect[], judge: Judge): Descent {
  let set = from;
  let cost = judge.costOf(set);
  for (let isBetter = true; isBetter && !judge.isSpent(); ) {
    isBetter = false;
    for (const prospect of order) {
      if (judge.isSpent()) break;
      const tried = flipped(set, prospect);
      const triedCost = judge.costOf(tried);
      if (triedCost >= cost - EPSILON) continue;
      [set, cost, isBetter] = [tried, triedCost, true];
    }
  }
  return { set, cost };
}

function flipped(set: ReadonlySet<Prospect>, ...some: readonly Prospect[]): ReadonlySet<Prospect> {
  const other = new Set(set);
  for (const each of some) if (!other.delete(each)) other.add(each);
  return other;
}

/** Exchanges one node for another, and flips any two, as long as that pays. */
function exchange(
  from: ReadonlySet<Prospect>,
  fromCost: number,
  prospects: readonly Prospect[],
  judge: Judge,
): ReadonlySet<Prospect> {
  let [set, cost] = [from, fromCost];
  for (const [at, a] of prospects.entries()) {
    for (const b of prospects.slice(at + 1)) {
      if (judge.isSpent()) return set;
      const tried = flipped(set, a, b);
      const triedCost = judge.costOf(tried);
      if (triedCost < cost - EPSILON) [set, cost] = [tried, triedCost];
    }
  }
  return descend(set, prospects, judge).set;
}

function toBlueprint(set: ReadonlySet<Prospect>, judge: Judge, size: number): Blueprint {
  const { left, places } = judge.fitOf(set);
  const short = new Set(left.map((mover) => judge.owners.get(mover)));
  const sorted = [...set].sort(byWaste);
  const merged = sorted.filter((each) => short.has(each));
  const merges: (readonly Prospect[])[] = [];
  for (let at = 0; at < merged.length; at += size) merges.push(merged.slice(at, at + size));
  return { deletions: sorted.filter((each) => !short.has(each)), merges, places };
}
