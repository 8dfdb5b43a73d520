import type { Pod } from '#lib/model/pod.ts';
import type { Portion } from '../opening/lineup.ts';
import type { AskLevel } from './ask.ts';
import type { PodGroup } from './pod-groups.ts';

/**
 * The pods of one group that have no place yet, and which of their wishes are still tried. It is
 * the one thing that a solve changes in place: pods leave it, and levels are gone down.
 */
export interface Waiting {
  readonly group: PodGroup;
  /** The oldest first; taken from the front. */
  left: readonly Pod[];
  /** Place in group.levels. */
  level: number;
  /** For each level that was gone down: the pods that were left then. */
  yielded: readonly (readonly Pod[])[];
  /** Pods that were placed at another level than the rest. */
  conceded: readonly { readonly level: number; readonly pods: readonly Pod[] }[];
}

/** All pods of a group, with all their wishes. */
export const waitingOf = (group: PodGroup): Waiting => ({
  group,
  left: group.pods,
  level: 0,
  yielded: [],
  conceded: [],
});

/** Takes `count` pods out of the wait. */
export function take(waiting: Waiting, count: number): readonly Pod[] {
  const taken = waiting.left.slice(0, count);
  waiting.left = waiting.left.slice(count);
  return taken;
}

/** What the pods ask for at present. */
export const levelOf = ({ group, level }: Waiting): AskLevel =>
  group.levels[level] ?? { asks: [], givenUp: [] };

/** Whether there is a wish left to give up. */
export const canYield = ({ group, level }: Waiting): boolean => level + 1 < group.levels.length;

/** Gives up the next wish. */
export function yieldWish(waiting: Waiting): void {
  waiting.level += 1;
  waiting.yielded = [...waiting.yielded, waiting.left];
}

/** The pods as what fills a draft. */
export const portionOf = (waiting: Waiting): Portion => ({
  group: waiting.group,
  asks: levelOf(waiting).asks,
  left: waiting.left.length,
});
