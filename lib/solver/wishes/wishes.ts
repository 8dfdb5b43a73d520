import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Waiting } from '../pods/waiting.ts';

/** Something that pods would like and do not get, or that nobody looked at. */
export interface WishGivenUp {
  readonly wish: string;
  /** By namespace and name. */
  readonly pods: readonly Pod[];
}

/** The wishes about nodes that pods gave up for a place, by wish. */
export function wishesGivenUp(waiting: readonly Waiting[]): readonly WishGivenUp[] {
  const each: WishGivenUp[] = [];
  for (const group of waiting) noteLevels(group, (wish, pods) => each.push({ wish, pods }));
  return together(each);
}

/** What was given up, each wish once, by wish. */
export function together(givenUp: readonly WishGivenUp[]): readonly WishGivenUp[] {
  const byWish = new Map<string, Pod[]>();
  for (const { wish, pods } of givenUp) {
    const known = byWish.get(wish);
    if (known) known.push(...pods);
    else byWish.set(wish, [...pods]);
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
  if (yielded.length === 0) return;
  const homeless = new Set(left);
  yielded.forEach((pods, level) => {
    const wish = group.levels[level + 1]?.givenUp.at(-1);
    const placed = pods.filter((pod) => !homeless.has(pod));
    if (wish !== undefined && placed.length > 0) note(wish, placed);
  });
}
