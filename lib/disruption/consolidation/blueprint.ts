import { openPictureJudge, type PictureJudge } from './picture-judge.ts';
import { byWaste, type Prospect, type SearchProblem } from './prospect.ts';

/** Which nodes would go if nothing but room and money counted. */
export interface Blueprint {
  /** Nodes whose pods all have room on nodes that stay; those that waste most first. */
  readonly deletions: readonly Prospect[];
  /** Nodes of which some pods need new nodes, in groups that are replaced together. */
  readonly merges: readonly (readonly Prospect[])[];
  /** By uid of a pod: the node that it goes to. */
  readonly places: ReadonlyMap<string, string>;
}

const FEWEST_REGARDED = 64;

/**
 * Looks for the set of nodes without which the cluster costs least, moves counted at what they have
 * to bring: from several orders, nodes are added one by one as long as that pays, then taken back,
 * added and exchanged until nothing pays any more. No pod goes to a node that is to go itself, so
 * that none moves twice. Consent for numbers of nodes is not regarded: who may go today is asked for
 * later, and tomorrow the rest of the same picture is left.
 *
 * Cost: looks for room × pods of the nodes that are regarded; both are limited.
 */
export function drawBlueprint(all: readonly Prospect[], problem: SearchProblem): Blueprint {
  const prospects = all.slice(0, Math.max(FEWEST_REGARDED, 2 * problem.mostNodes));
  const judge = openPictureJudge(prospects, problem);
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

interface Descent {
  readonly set: ReadonlySet<Prospect>;
  readonly cost: number;
}

/** Adds and takes back, in this order, whatever pays, until nothing does. */
function descend(
  from: ReadonlySet<Prospect>,
  order: readonly Prospect[],
  judge: PictureJudge,
): Descent {
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
  judge: PictureJudge,
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

function toBlueprint(set: ReadonlySet<Prospect>, judge: PictureJudge, size: number): Blueprint {
  const { left, places } = judge.fitOf(set);
  const short = new Set(left.map((mover) => judge.owners.get(mover)));
  const sorted = [...set].sort(byWaste);
  const merged = sorted.filter((each) => short.has(each));
  const merges: (readonly Prospect[])[] = [];
  for (let at = 0; at < merged.length; at += size) merges.push(merged.slice(at, at + size));
  return { deletions: sorted.filter((each) => !short.has(each)), merges, places };
}
