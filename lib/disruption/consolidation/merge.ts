import { type Amounts, plus } from '#lib/solver/amounts.ts';
import type { Attempts } from './attempts.ts';
import type { Proposal, Prospect, SearchProblem } from './prospect.ts';

/** How many nodes are looked at, how many are grown from, and with how many others. */
const LOOKED_AT = 32;
const SEEDS = 6;
const COMPANIONS = 16;
/** Several new nodes cost so much more than what their pods are worth at fair prices. */
export const WASTE_OF_SEVERAL = 1.08;

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
  { open, isHopeless }: Pick<Attempts, 'open' | 'isHopeless'>,
  problem: SearchProblem,
): Proposal | undefined {
  const looks = [...open].slice(0, LOOKED_AT).map((prospect) => lookAt(prospect, problem));
  const grown = looks.slice(0, SEEDS).flatMap((seed) => grow(seed, looks, problem));
  let best: Grown | undefined;
  for (const each of grown) {
    if (each.net <= 0 || isHopeless(setOf(each))) continue;
    if (!best || each.merit > best.merit) best = each;
  }
  if (!best) return undefined;
  const set = setOf(best);
  return { set, merit: best.merit, isDue: set.some(({ isDue }) => isDue) };
}

const setOf = ({ looks }: Grown): readonly Prospect[] => looks.map(({ prospect }) => prospect);

function lookAt(prospect: Prospect, { rooms, prices, axes }: SearchProblem): Look {
  const { left } = rooms.fit(prospect.movers, new Set([prospect.source.name]));
  const amounts = left.reduce<Amounts>(
    (sum, { kind }) => plus(sum, kind.amounts),
    axes.map(() => 0),
  );
  return { prospect, left: amounts, leftWorth: prices.worth(amounts) };
}

/** The seed alone, and each set that it grows to while a companion brings something. */
function grow(seed: Look, looks: readonly Look[], problem: SearchProblem): readonly Grown[] {
  const found: Grown[] = [judge([seed], problem)];
  for (let size = 2; size <= problem.mostTogether; size++) {
    const before = found.at(-1);
    const next = before && withCompanion(before, looks, problem);
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** The set with whoever brings most; undefined where nobody brings anything. */
function withCompanion(
  before: Grown,
  looks: readonly Look[],
  problem: SearchProblem,
): Grown | undefined {
  let best: Grown | undefined;
  for (const companion of looks.slice(0, COMPANIONS)) {
    if (before.looks.includes(companion)) continue;
    const judged = judge([...before.looks, companion], problem);
    if (judged.net > (best ?? before).net) best = judged;
  }
  return best;
}

function judge(looks: readonly Look[], problem: SearchProblem): Grown {
  const left = looks.reduce<Amounts>(
    (sum, look) => plus(sum, look.left),
    problem.axes.map(() => 0),
  );
  const sumOf = (amountOf: (look: Look) => number): number =>
    looks.reduce((sum, look) => sum + amountOf(look), 0);
  const price = sumOf(({ prospect }) => prospect.source.usdPerHour);
  const worth = sumOf(({ prospect }) => prospect.worth);
  const leftWorth = sumOf((look) => look.leftWorth);
  const moves = sumOf(({ prospect }) => prospect.movers.length);
  const saved = price - costOf(left, leftWorth, looks, problem);
  return {
    looks,
    net: saved - problem.hurdle.of(moves, looks.length),
    merit: (saved - (worth - leftWorth)) / (moves + looks.length),
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
  return Math.min(prices.nodeFor(left), leftWorth * WASTE_OF_SEVERAL);
}
