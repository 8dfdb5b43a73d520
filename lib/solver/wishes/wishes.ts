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
  const byWish = new Map<string, Pod[]>();
  const note = (wish: string, pods: readonly Pod[]): void => {
    const known = byWish.get(wish);
    if (known) known.push(...pods);
    else byWish.set(wish, [...pods]);
  };
  for (const each of waiting) noteLevels(each, note);
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
