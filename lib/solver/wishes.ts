import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Waiting } from './waiting.ts';

/** Something that pods would like and do not get, or that nobody looked at. */
export interface WishGivenUp {
  readonly wish: string;
  /** By namespace and name. */
  readonly pods: readonly Pod[];
}

/**
 * The wishes of pods that got a place without them, by wish. `sent` are pods of `waiting` that
 * went their own way as other groups; `refused` are wishes of a pod that were never tried.
 */
export function wishesGivenUp(
  waiting: readonly Waiting[],
  sent: readonly Waiting[],
  refused: (pod: Pod) => readonly string[],
): readonly WishGivenUp[] {
  const byWish = new Map<string, Pod[]>();
  const note = (wish: string, pods: readonly Pod[]): void => {
    const known = byWish.get(wish);
    if (known) known.push(...pods);
    else byWish.set(wish, [...pods]);
  };
  for (const each of [...waiting, ...sent]) noteLevels(each, note);
  for (const { group, left } of waiting) {
    const homeless = new Set(left);
    const placed = group.pods.filter((pod) => !homeless.has(pod));
    for (const pod of placed) for (const wish of refused(pod)) note(wish, [pod]);
  }
  return [...byWish]
    .sort(([a], [b]) => compareText(a, b))
    .map(([wish, pods]) => ({ wish, pods: pods.sort(byNamespacedName) }));
}

/** The wishes about nodes that pods of one group gave up on their way. */
function noteLevels(
  { group, left, yielded, conceded }: Waiting,
  note: (wish: string, pods: readonly Pod[]) => void,
): void {
  for (const { level, pods } of conceded) {
    for (const wish of group.levels[level]?.givenUp ?? []) note(wish, pods);
  }
  const homeless = new Set(left);
  yielded.forEach((pods, level) => {
    const wish = group.levels[level + 1]?.givenUp.at(-1);
    const placed = pods.filter((pod) => !homeless.has(pod));
    if (wish !== undefined && placed.length > 0) note(wish, placed);
  });
}
