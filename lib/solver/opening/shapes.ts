import type { Admission, Choice } from '../admission.ts';
import { type Amounts, hasRoom, isWithin, most } from '../amounts.ts';
import type { Prices } from '../prices/prices.ts';
import { byPrice, choicesByPrice } from './by-price.ts';
import { type Allowance, allows } from './limits.ts';

/** What a node could be for: pods that wait, and what is still allowed. */
export interface Occasion {
  /** What the pod asks for that the node is opened for. */
  readonly least: Amounts;
  /** What all pods that may go on it ask for together. */
  readonly total: Amounts;
  readonly allowance: Allowance;
  /** What a node costs where that is not its price. */
  readonly costOf: ((choice: Choice) => number) | undefined;
}

/**
 * The instance types of `admission` that a node could be packed to, the most promising first, one
 * with each call. Those that are hopeless by then may be left out; who is, is so from then on.
 */
export type Shapes = (admission: Admission, occasion: Occasion) => NextShape;

/** The next shape; undefined where there is none. */
export type NextShape = (isHopeless: (choice: Choice) => boolean) => Promising | undefined;

/** A shape, and the most that it could carry for a unit of cost. */
interface Promising {
  readonly choice: Choice;
  readonly promise: number;
}

/** A price of 0 would be worth everything. */
export const FREE_USD_PER_HOUR = 1e-9;

/** What a node costs in dollars; never 0. */
export const costInDollars = ({ usdPerHour }: Choice): number =>
  Math.max(usdPerHour, FREE_USD_PER_HOUR);

/**
 * Shapes at these prices of resources. Who outdoes whom, and what each promises where there is no
 * end of pods, is found once for each Admission.
 */
export function createShapes(prices: Prices): Shapes {
  const known = new Map<Admission, readonly Shape[]>();
  const bestOf = (admission: Admission): readonly Shape[] => {
    const best =
      known.get(admission) ?? notOutdone(shapesOf(admission, prices)).sort(mostPromising);
    known.set(admission, best);
    return best;
  };
  return (admission, occasion) => {
    const { allowance, costOf } = occasion;
    const best = costOf ? [] : bestOf(admission);
    // Where limits stop one of the best, those come into question that it outdoes.
    const isStopped = allowance && !best.every(({ choice }) => allows(allowance, choice));
    return costOf || isStopped
      ? amongAll(shapesOf(admission, prices), occasion)
      : amongRanked(best, occasion);
  };
}

const mostPromising = (a: Promising, b: Promising): number =>
  b.promise - a.promise || byPrice(a.choice, b.choice);

function amongAll(
  shapes: readonly Shape[],
  { least, total, allowance, costOf = costInDollars }: Occasion,
): NextShape {
  const inOrder = shapes
    .filter(({ choice }) => allows(allowance, choice) && holds(choice, least))
    .map(({ choice, here }) => ({
      choice,
      promise: mostCarried(here, choice.sourceType.roomAmounts, total) / costOf(choice),
    }))
    .sort(mostPromising);
  let at = 0;
  return () => inOrder[at++];
}

/**
 * `ranked`, which come by what they promise where there is no end of pods; those that have room for
 * more than `total` promise less, and come later.
 */
function amongRanked(ranked: readonly Shape[], { least, total }: Occasion): NextShape {
  // The most promising last.
  const later: Promising[] = [];
  let at = 0;
  const isFirst = (shape: Shape): boolean => {
    const waiting = later.length > 0 ? later[later.length - 1] : undefined;
    return waiting === undefined || mostPromising(shape, waiting) < 0;
  };
  return (isHopeless) => {
    for (let shape = ranked[at]; shape && isFirst(shape); shape = ranked[at]) {
      at += 1;
      const { choice } = shape;
      if (!holds(choice, least) || isHopeless(choice)) continue;
      if (isWithin(choice.sourceType.roomAmounts, total)) return shape;
      insert(lessPromising(shape, total), later);
    }
    return later.pop();
  };
}

const lessPromising = ({ choice, here }: Shape, total: Amounts): Promising => ({
  choice,
  promise: mostCarried(here, choice.sourceType.roomAmounts, total) / costInDollars(choice),
});

function insert(promising: Promising, sorted: Promising[]): void {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = sorted[middle];
    if (other && mostPromising(other, promising) > 0) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, promising);
}

const holds = ({ sourceType }: Choice, least: Amounts): boolean =>
  hasRoom(sourceType.roomAmounts, NOTHING, least);

const NOTHING: Amounts = [];

/** A choice, the prices of the market of its cheapest offering, and what it promises when full. */
interface Shape extends Promising {
  readonly here: Amounts;
}

const shapesOf = (admission: Admission, { pricesAt }: Prices): readonly Shape[] =>
  choicesByPrice(admission).map((choice) => {
    const [cheapest] = choice.offerings;
    const here = (cheapest && pricesAt(cheapest)) ?? NOTHING;
    const { roomAmounts } = choice.sourceType;
    return {
      choice,
      here,
      promise: mostCarried(here, roomAmounts, roomAmounts) / costInDollars(choice),
    };
  });

/**
 * The shapes, which come by price, without those of which another in the same market has as much
 * room for no more: what goes on one of them goes there.
 *
 * Cost: shapes × those that remain.
 */
function notOutdone(shapes: readonly Shape[]): Shape[] {
  const best: Shape[] = [];
  let largest: Amounts = NOTHING;
  for (const shape of shapes) {
    const { roomAmounts } = shape.choice.sourceType;
    // Who has more of something than all cheaper ones is outdone by none of them.
    if (isWithin(roomAmounts, largest) && isOutdone(shape, best)) continue;
    best.push(shape);
    largest = most(largest, roomAmounts);
  }
  return best;
}

function isOutdone({ choice, here }: Shape, best: readonly Shape[]): boolean {
  const { roomAmounts } = choice.sourceType;
  for (const other of best) {
    if (other.here !== here) continue;
    if (isWithin(roomAmounts, other.choice.sourceType.roomAmounts)) return true;
  }
  return false;
}

/** No filling of a node with this room can be worth more. */
function mostCarried(here: Amounts, room: Amounts, total: Amounts): number {
  let sum = 0;
  for (let axis = 0; axis < room.length; axis++) {
    sum += (here[axis] ?? 0) * Math.min(room[axis] ?? 0, total[axis] ?? 0);
  }
  return sum;
}
