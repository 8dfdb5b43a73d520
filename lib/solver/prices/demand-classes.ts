import { type Amounts, least as smaller } from '../amounts.ts';
import type { AskLevel } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';

/** How many pods of a group there are to be priced. */
export interface Demand {
  readonly group: PodGroup;
  readonly count: number;
}

/** Groups that may use the very same offerings for the very same amounts: prices see one pod. */
export interface Lot {
  readonly groups: readonly PodGroup[];
  readonly amounts: Amounts;
  /** How many pods there are of all groups. */
  readonly count: number;
}

/** Groups that may use the very same offerings. */
export interface DemandClass {
  readonly levels: readonly AskLevel[];
  readonly lots: readonly Lot[];
  /** What each of their pods asks for at least. */
  readonly least: Amounts;
}

/** Of a resource that not every pod asks for, up to this many different amounts make classes. */
const MOST_AMOUNTS = 8;

/**
 * The demands by class, in the order in which their classes first appear. Pods that ask for
 * different amounts of something special, such as GPUs, are of different classes: one that needs
 * four at once cannot use what is sold one by one.
 */
export function classesOf(demands: readonly Demand[]): readonly DemandClass[] {
  const byLevels = lotsOf(demands);
  const isSpecial = specialAxes([...byLevels.values()].flat());
  const special = ({ amounts }: Lot): string =>
    amounts.map((amount, axis) => (isSpecial[axis] ? amount : amount > 0)).join();
  return [...byLevels].flatMap(([levels, ofLevels]) =>
    [...Map.groupBy(ofLevels, special).values()].map((lots) => ({
      levels,
      lots,
      least: lots.map(({ amounts }) => amounts).reduce(smaller),
    })),
  );
}

/** A lot that is still added to. */
interface OpenLot extends Lot {
  readonly groups: PodGroup[];
  count: number;
}

/** The lots of those who ask the same; groups that ask for equal amounts share one list of them. */
function lotsOf(demands: readonly Demand[]): ReadonlyMap<readonly AskLevel[], readonly Lot[]> {
  const byLevels = new Map<readonly AskLevel[], Map<Amounts, OpenLot>>();
  for (const { group, count } of demands) {
    const { levels, amounts } = group;
    const ofLevels = byLevels.get(levels) ?? new Map<Amounts, OpenLot>();
    byLevels.set(levels, ofLevels);
    const lot = ofLevels.get(amounts) ?? { groups: [], amounts, count: 0 };
    ofLevels.set(amounts, lot);
    lot.groups.push(group);
    lot.count += count;
  }
  return new Map([...byLevels].map(([levels, lots]) => [levels, [...lots.values()]]));
}

function specialAxes(lots: readonly Lot[]): readonly boolean[] {
  return (lots[0]?.amounts ?? []).map((_, axis) => {
    const found = new Set<number>();
    for (const { amounts } of lots) {
      found.add(amounts[axis] ?? 0);
      if (found.size > MOST_AMOUNTS) return false;
    }
    return found.has(0);
  });
}
