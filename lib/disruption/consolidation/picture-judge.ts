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

/** What sets of nodes that might go are held against. */
export interface PictureJudge {
  /** What the cluster costs without the set, beside what it costs now: less than 0 where it pays. */
  readonly costOf: (set: ReadonlySet<Prospect>) => number;
  /** The pods for which there is no room, and by uid where the others go. */
  readonly fitOf: (set: ReadonlySet<Prospect>) => {
    readonly left: readonly Mover[];
    readonly places: ReadonlyMap<string, string>;
  };
  /** Whether the work limits are reached. */
  readonly isSpent: () => boolean;
  readonly owners: ReadonlyMap<Mover, Prospect>;
}

/** Work limits: looks for room for all pods of a set, and the pods that they are for. */
const MOST_LOOKS = 8_000;
const MOST_LOOKED_FOR = 4_000_000;
/** So often are those for which no room was left let in first. */
const MOST_TURNS = 8;

interface Fitting extends Fit {
  readonly restUsdPerHour: number;
}

/**
 * Opens a judge of sets of `prospects`. Room is found first fit, in two orders of the pods; where
 * some are left they go first the next time, which soon finds out who is hard to place.
 */
export function openPictureJudge(
  prospects: readonly Prospect[],
  problem: SearchProblem,
): PictureJudge {
  const { rooms, hurdle } = problem;
  const owners = new Map(
    prospects.flatMap((each) => each.movers.map((mover) => [mover, each] as const)),
  );
  const movers = [...owners.keys()];
  const orders = [movers.toSorted(dearestFirst(problem.prices)), movers.toSorted(largestFirst)];
  const most = Math.min(MOST_LOOKS, Math.ceil(MOST_LOOKED_FOR / Math.max(1, movers.length)));
  let looks = 0;
  const look = (queue: readonly Mover[], names: ReadonlySet<string>): Fitting => {
    looks++;
    const found = rooms.fit(queue, names);
    return { ...found, restUsdPerHour: costOfRest(found.left, owners, problem) };
  };
  const fitting = (set: ReadonlySet<Prospect>): Fitting => {
    const names = new Set([...set].map(({ source }) => source.name));
    let best: Fitting = NOTHING_FOUND;
    for (const order of orders) {
      const queue = order.filter((mover) => isIn(set, owners.get(mover)));
      const found = bestTurn(queue, (turned) => look(turned, names));
      if (best === NOTHING_FOUND || found.restUsdPerHour < best.restUsdPerHour) best = found;
      if (found.left.length === 0) break;
    }
    return best;
  };
  return {
    owners,
    isSpent: () => looks >= most,
    costOf: (set) => {
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

const NOTHING_FOUND: Fitting = { placed: [], left: [], restUsdPerHour: Number.POSITIVE_INFINITY };

/** The cheapest of some looks; after each, those for which no room was left are let in first. */
function bestTurn(queue: readonly Mover[], look: (queue: readonly Mover[]) => Fitting): Fitting {
  let best = look(queue);
  let last = best;
  let turned = queue;
  for (let turn = 1; turn < MOST_TURNS && last.left.length > 0; turn++) {
    turned = withFirst(new Set(last.left), turned);
    last = look(turned);
    if (last.restUsdPerHour < best.restUsdPerHour) best = last;
  }
  return best;
}

const isIn = (set: ReadonlySet<Prospect>, prospect: Prospect | undefined): boolean =>
  prospect !== undefined && set.has(prospect);

const withFirst = (some: ReadonlySet<Mover>, queue: readonly Mover[]): readonly Mover[] => [
  ...queue.filter((mover) => some.has(mover)),
  ...queue.filter((mover) => !some.has(mover)),
];

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
