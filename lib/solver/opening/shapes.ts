import { compareText } from '#lib/constraints/order.ts';
import type { Admission, Choice } from '../admission.ts';
import { type Amounts, hasRoom, isWithin, most } from '../amounts.ts';
import type { Prices } from '../prices/prices.ts';

/** What a node could be for: pods that wait, and what is still allowed. */
export interface Occasion {
  /** What the pod asks for that the node is opened for. */
  readonly least: Amounts;
  /** What all pods that may go on it ask for together. */
  readonly total: Amounts;
  readonly allows: (choice: Choice) => boolean;
  readonly costOf: (choice: Choice) => number;
  /** Whether costs are prices. */
  readonly isByPrice: boolean;
}

/** The instance types of `admission` that a node could be packed to, the most promising first. */
export type Shapes = (admission: Admission, occasion: Occasion) => readonly Promising[];

/** A shape, and the most that it could carry for a unit of cost. */
export interface Promising {
  readonly choice: Choice;
  readonly promise: number;
}

/** Orders by price, then name. */
export const byPrice = (a: Choice, b: Choice): number =>
  a.usdPerHour - b.usdPerHour || compareText(a.sourceType.type.name, b.sourceType.type.name);

/** Shapes at these prices of resources; who outdoes whom is found once for each Admission. */
export function createShapes(prices: Prices): Shapes {
  const known = new Map<Admission, readonly Shape[]>();
  const bestOf = (admission: Admission): readonly Shape[] => {
    const best = known.get(admission) ?? notOutdone(shapesOf(admission, prices));
    known.set(admission, best);
    return best;
  };
  return (admission, { least, total, allows, costOf, isByPrice }) => {
    const best = isByPrice ? bestOf(admission) : [];
    // Where limits stop one of the best, those come into question that it outdoes.
    const isEnough = isByPrice && best.every(({ choice }) => allows(choice));
    const all = isEnough ? best : shapesOf(admission, prices).filter((each) => allows(each.choice));
    return all
      .filter(({ choice }) => hasRoom(choice.sourceType.roomAmounts, NOTHING, least))
      .map(({ choice, here }) => {
        const carried = mostCarried(here, choice.sourceType.roomAmounts, total);
        return { choice, promise: carried / costOf(choice) };
      })
      .sort((a, b) => b.promise - a.promise || byPrice(a.choice, b.choice));
  };
}

const NOTHING: Amounts = [];

/** A choice, and the prices of the market of its cheapest offering. */
interface Shape {
  readonly choice: Choice;
  readonly here: Amounts;
}

const shapesOf = ({ choices }: Admission, { pricesAt }: Prices): readonly Shape[] =>
  [...choices.values()].map((choice) => {
    const [cheapest] = choice.offerings;
    return { choice, here: (cheapest && pricesAt(cheapest)) ?? NOTHING };
  });

/**
 * The shapes without those of which another in the same market has as much room for no more: what
 * goes on one of them goes there.
 *
 * Cost: shapes × those that remain.
 */
function notOutdone(shapes: readonly Shape[]): readonly Shape[] {
  const best: Shape[] = [];
  let largest: Amounts = NOTHING;
  for (const shape of shapes.toSorted((a, b) => byPrice(a.choice, b.choice))) {
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
