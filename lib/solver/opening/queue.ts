import type { Axes } from '../amounts.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { portionOf, type Waiting } from '../pods/waiting.ts';
import type { Prices } from '../prices/prices.ts';
import { type Lineup, lineUp, lineUpFewer, type Portion } from './lineup.ts';

/** The portions that still need nodes, in the order in which nodes are opened for them. */
export interface Queue {
  readonly portions: readonly Portion[];
  /** Their lineup; made when it is first asked for. */
  readonly lineup: () => Lineup;
}

/** What lineups are made with. */
type LineupContext = Readonly<{ axes: Axes; prices: Prices }>;

/** A queue of these portions. */
export function queueOf(portions: readonly Portion[], { axes, prices }: LineupContext): Queue {
  return { portions, lineup: once(() => lineUp(portions, axes, prices)) };
}

/** The queue when pods of some groups have left it; `byGroup` tells who remains. */
export function withoutTaken(
  queue: Queue,
  taken: ReadonlyMap<PodGroup, number>,
  byGroup: ReadonlyMap<PodGroup, Waiting>,
): Queue {
  const portions: Portion[] = [];
  for (const portion of queue.portions) {
    const waiting = taken.has(portion.group) ? byGroup.get(portion.group) : undefined;
    if (!waiting) portions.push(portion);
    else if (isOpen(waiting)) portions.push(portionOf(waiting));
  }
  const before = queue.lineup();
  return { portions, lineup: once(() => lineUpFewer(before, portions)) };
}

/** Whether there are pods left and a wish, or the lack of one, that was not tried yet. */
const isOpen = ({ left, level, group }: Waiting): boolean =>
  left.length > 0 && level < group.levels.length;

/** What is left of it as a portion; none where nothing is. */
export const openPortions = (waiting: Waiting): readonly Portion[] =>
  isOpen(waiting) ? [portionOf(waiting)] : [];

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
