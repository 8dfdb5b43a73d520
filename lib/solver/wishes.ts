import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import type { Pod } from '#lib/model/pod.ts';
import { unweighedWishes } from './unsupported.ts';
import type { Waiting } from './waiting.ts';

/** Something that pods would like and do not get, or that nobody looked at. */
export interface WishGivenUp {
  readonly wish: string;
  /** By namespace and name. */
  readonly pods: readonly Pod[];
}

/**
 * The wishes of pods that got a place without them, by wish. `sent` are pods of `waiting` that
 * went their own way as other groups.
 */
export function wishesGivenUp(
  waiting: readonly Waiting[],
  sent: readonly Waiting[],
): readonly WishGivenUp[] {
  const byWish = new Map<string, Pod[]>();
  const note = (wish: string, pods: readonly Pod[]): void => {
    const known = byWish.get(wish);
    if (known) known.push(...pods);
    else byWish.set(wish, [...pods]);
  };
  for (const { group, left, yielded } of [...waiting, ...sent]) {
    const refused = new Set(left);
    yielded.forEach((pods, level) => {
      const wish = group.levels[level + 1]?.givenUp.at(-1);
      const placed = pods.filter((pod) => !refused.has(pod));
      if (wish !== undefined && placed.length > 0) note(wish, placed);
    });
  }
  for (const { group, left } of waiting) {
    const refused = new Set(left);
    for (const pod of group.pods) {
      if (!refused.has(pod)) for (const wish of unweighedWishes(pod)) note(wish, [pod]);
    }
  }
  return [...byWish]
    .sort(([a], [b]) => compareText(a, b))
    .map(([wish, pods]) => ({ wish, pods: pods.sort(byNamespacedName) }));
}
