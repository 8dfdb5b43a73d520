import { type Amounts, plus } from '#lib/solver/amounts.ts';
import type { Proposal, Prospect, SearchProblem } from './prospect.ts';

/** The nodes that sets may be grown from, sorted by waste, and sets that failed already. */
export interface Mergeable {
  readonly prospects: readonly Prospect[];
  readonly isTabu: (set: readonly Prospect[]) => boolean;
}

/** How many nodes are looked at, how many are grown from, and with how many others. */
const LOOKED_AT = 32;
const SEEDS = 6;
const COMPANIONS = 16;
/** Several new nodes cost so much more than what their pods are worth at fair prices. */
const WASTE_OF_SEVERAL = 1.08;

/** A prospect, and how much of it does not fit on the nodes that stay. */
interface Look {
  readonly prospect: Prospect;
  readonly left: Amounts;
  readonly leftWorth: number;
}

interface Grown {
  readonly looks: readonly Look[];
  readonly net: number;
  readonly merit: number;
}

/**
 * The set of nodes whose replacement by new nodes looks best for each pod that moves; undefined
 * where none looks worth it. What fits on nodes that stay is found node by node and added up: rooms
 * are nearly used up where nodes have to be replaced, and the solver has the last word.
 */
export function bestMerge(
  { prospects, isTabu }: Mergeable,
  problem: SearchProblem,
): Proposal | undefined {
  const looks = prospects.slice(0, LOOKED_AT).map((prospect) => lookAt(prospect, problem));
  const grown = looks.slice(0, SEEDS).flatMap((seed) => grow(seed, looks, { problem, isTabu }));
  let best: Grown | undefined;
  for (const each of grown) {
    if (each.net > 0 && (!best || each.merit > best.merit)) best = each;
  }
  if (!best) return undefined;
  const set = best.looks.map(({ prospect }) => prospect);
  return { set, merit: best.merit, isDue: set.some(({ isDue }) => isDue) };
}

function lookAt(prospect: Prospect, { rooms, prices, axes }: SearchProblem): Look {
  const { left } = rooms.fit(prospect.movers, new Set([prospect.source.name]));
  const amounts = left.reduce<Amounts>(
    (sum, { kind }) => plus(sum, kind.amounts),
    axes.map(() => 0),
  );
  return { prospect, left: amounts, leftWorth: prices.worth(amounts) };
}

interface Growing {
  readonly problem: SearchProblem;
  readonly isTabu: (set: readonly Prospect[]) => boolean;
}

/** The seed alone, and the set that it grows to while each companion brings something. */
function grow(seed: Look, looks: readonly Look[], growing: Growing): readonly Grown[] {
  const found: Grown[] = [];
  let current = judge([seed], growing.problem);
  if (!growing.isTabu([seed.prospect])) found.push(current);
  for (let size = 2; size <= growing.problem.mostTogether; size++) {
    const before = current;
    for (const companion of looks.slice(0, COMPANIONS)) {
      if (before.looks.includes(companion)) continue;
      const judged = judge([...before.looks, companion], growing.problem);
      if (judged.net > current.net) current = judged;
    }
    if (current === before) break;
    if (!growing.isTabu(current.looks.map(({ prospect }) => prospect))) found.push(current);
  }
  return found;
}

function judge(looks: readonly Look[], problem: SearchProblem): Grown {
  const left = looks.reduce<Amounts>(
    (sum, look) => plus(sum, look.left),
    problem.axes.map(() => 0),
  );
  const price = looks.reduce((sum, { prospect }) => sum + prospect.source.usdPerHour, 0);
  const worth = looks.reduce((sum, { prospect }) => sum + prospect.worth, 0);
  const leftWorth = looks.reduce((sum, look) => sum + look.leftWorth, 0);
  const moves = looks.reduce((sum, { prospect }) => sum + prospect.movers.length, 0);
  const cost = costOf(left, leftWorth, looks, problem);
  const saved = price - cost;
  const trouble = moves + looks.length;
  return {
    looks,
    net: saved - problem.hurdle.of(moves, looks.length),
    merit: (saved - (worth - leftWorth)) / trouble,
  };
}

/** What new nodes for the rest would cost; spot nodes may not be replaced by spot everywhere. */
function costOf(
  left: Amounts,
  leftWorth: number,
  looks: readonly Look[],
  { prices, spotToSpot }: SearchProblem,
): number {
  if (left.every((amount) => amount === 0)) return 0;
  const areSpot = looks.every(({ prospect }) => prospect.source.capacityType === 'spot');
  if (areSpot && !spotToSpot) return Number.POSITIVE_INFINITY;
  const one = prices.nodeFor(left);
  return Math.min(one, Math.max(leftWorth * WASTE_OF_SEVERAL, 0));
}
