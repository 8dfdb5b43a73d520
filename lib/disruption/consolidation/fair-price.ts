import type { Amounts } from '#lib/solver/amounts.ts';
import type { Source, SourceType } from '#lib/solver/sources.ts';
import { worstOf } from './certain-price.ts';

/** What a node could cost that holds certain amounts, by what can be bought now. */
export interface FairPrices {
  /** What amounts are worth: no node that can be bought holds them for less. */
  readonly worth: (amounts: Amounts) => number;
  /** The least that one new node costs which holds them all, at worst; Infinity where none does. */
  readonly nodeFor: (amounts: Amounts) => number;
}

const CPU = 0;
const MEMORY = 1;
const STEPS = 48;

/** A node that can be bought, by what it holds beside its daemons and costs at worst. */
interface Ware {
  readonly room: Amounts;
  readonly usdPerHour: number;
}

/**
 * Prices of cpu and memory at which `demand` is worth the most while no node on sale holds more
 * worth than it costs: the dual of buying fractions of nodes.
 *
 * `axes` tells where cpu and memory stand; other resources are worth nothing here, and only
 * `nodeFor` regards them. Cost: 48 looks at all types.
 */
export function fairPrices(
  sources: readonly Source[],
  axes: readonly string[],
  demand: Amounts,
): FairPrices {
  const wares = sources.flatMap(({ types }) => types.flatMap(wareOf));
  const at = [axes.indexOf('cpu'), axes.indexOf('memory')] as const;
  const cut = wares.flatMap(({ room, usdPerHour }) => {
    const [cpu, memory] = [room[at[CPU]] ?? 0, room[at[MEMORY]] ?? 0];
    return cpu > 0 && memory > 0 ? [{ cpu, memory, usdPerHour }] : [];
  });
  const memoryAt = (cpu: number): number =>
    cut.reduce(
      (least, ware) => Math.min(least, (ware.usdPerHour - ware.cpu * cpu) / ware.memory),
      Number.POSITIVE_INFINITY,
    );
  const most = cut.reduce(
    (least, ware) => Math.min(least, ware.usdPerHour / ware.cpu),
    Number.POSITIVE_INFINITY,
  );
  const value = (cpu: number): number =>
    cpu * (demand[at[CPU]] ?? 0) + memoryAt(cpu) * (demand[at[MEMORY]] ?? 0);
  let [low, high] = [0, Number.isFinite(most) ? most : 0];
  for (let step = 0; step < STEPS; step++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3];
    if (value(left) < value(right)) low = left;
    else high = right;
  }
  const cpuPrice = (low + high) / 2;
  const memoryPrice = cut.length === 0 ? 0 : Math.max(0, memoryAt(cpuPrice));
  const byPrice = undominated(wares);
  return {
    worth: (amounts) =>
      (amounts[at[CPU]] ?? 0) * cpuPrice + (amounts[at[MEMORY]] ?? 0) * memoryPrice,
    nodeFor: (amounts) =>
      byPrice.find(({ room }) => holds(room, amounts))?.usdPerHour ?? Number.POSITIVE_INFINITY,
  };
}

function wareOf({ roomAmounts, offerings }: SourceType): readonly Ware[] {
  if (offerings.length === 0) return [];
  return [{ room: roomAmounts, usdPerHour: worstOf(offerings) }];
}

/** Wares by price, without those that hold no more on any axis than a cheaper one. */
function undominated(wares: readonly Ware[]): readonly Ware[] {
  const kept: Ware[] = [];
  for (const ware of wares.toSorted((a, b) => a.usdPerHour - b.usdPerHour)) {
    if (!kept.some(({ room }) => holds(room, ware.room))) kept.push(ware);
  }
  return kept;
}

const holds = (room: Amounts, amounts: Amounts): boolean =>
  amounts.every((amount, axis) => amount <= 0 || amount <= (room[axis] ?? 0));
