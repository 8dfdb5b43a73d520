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
  /** The same if somebody has asked for it. */
  readonly made: () => Lineup | undefined;
}

/** What lineups are made with. */
type LineupContext = Readonly<{ axes: Axes; prices: Prices }>;

/** A queue of these portions. */
export const queueOf = (portions: readonly Portion[], { axes, prices }: LineupContext): Queue =>
  createQueue(portions, () => lineUp(portions, axes, prices));

function createQueue(portions: readonly Portion[], make: () => Lineup): Queue {
  let made: Lineup | undefined;
  return {
    portions,
    lineup: () => {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}

/** The queue when pods of some groups have left it; `byGroup` tells who remains. */
export function withoutTaken(
  queue: Queue,
  taken: ReadonlyMap<PodGroup, number>,
  byGroup: ReadonlyMap<PodGroup, Waiting>,
  context: LineupContext,
): Queue {
  const portions: Portion[] = [];
  for (const portion of queue.portions) {
    const waiting = taken.has(portion.group) ? byGroup.get(portion.group) : undefined;
    if (!waiting) portions.push(portion);
    else if (isOpen(waiting)) portions.push(portionOf(waiting));
  }
  const before = queue.made();
  if (!before) return queueOf(portions, context);
  return createQueue(portions, () => lineUpFewer(before, portions));
}

/** Whether there are pods left and a wish, or the lack of one, that was not tried yet. */
const isOpen = ({ left, level, group }: Waiting): boolean =>
  left.length > 0 && level < group.levels.length;

/** What is left of it as a portion; none where nothing is. */
export const openPortions = (waiting: Waiting): readonly Portion[] =>
  isOpen(waiting) ? [portionOf(waiting)] : [];
