import type { Pod } from '#lib/model/pod.ts';
import type { SealedClaim } from '../opening/seal.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Prices } from './prices.ts';

/** By likeness of a group: what its pods are taken to be worth when they are packed once more. */
export type Corrections = ReadonlyMap<string, number>;

/** Nothing has been packed before. */
export const NO_CORRECTIONS: Corrections = new Map();

/** A plan, and what it was made of. */
export interface Reckoning {
  readonly claims: readonly SealedClaim[];
  /** Everybody who was to be packed onto new nodes. */
  readonly groups: readonly PodGroup[];
  readonly prices: Prices;
  /** What the plan was packed with. */
  readonly before: Corrections;
}

/**
 * Half what pods were taken to be worth, half what their nodes cost for each dollar that the pods
 * on them are worth. Pods that leave room beside them gain, and are seen to earlier the next time.
 *
 * Source: sequential value correction, a heuristic for cutting stock (G. Belov and G. Scheithauer,
 * Setup and Open Stacks Minimization in One-Dimensional Stock Cutting, 2007).
 */
export function corrected({ claims, groups, prices, before }: Reckoning): Corrections {
  const dearness = dearnessOf(claims, groups, prices);
  return new Map(
    groups.flatMap((group) => {
      const found = dearness.get(group.likeness);
      const worth = prices.worthOf(group);
      const known = before.get(group.likeness) ?? worth;
      if (found === undefined) return [];
      return [[group.likeness, (known + worth * found) / 2] as const];
    }),
  );
}

/** For each likeness the mean, over its pods, of what their nodes cost for a dollar's worth. */
function dearnessOf(
  claims: readonly SealedClaim[],
  groups: readonly PodGroup[],
  prices: Prices,
): ReadonlyMap<string, number> {
  const groupOf = new Map<Pod, PodGroup>();
  for (const group of groups) for (const pod of group.pods) groupOf.set(pod, group);
  const sums = new Map<string, { dearness: number; pods: number }>();
  for (const { pods, cheapest } of claims) {
    const onNode = pods.flatMap((pod) => groupOf.get(pod) ?? []);
    const worth = onNode.reduce((sum, group) => sum + prices.worthOf(group), 0);
    if (worth <= 0) continue;
    for (const { likeness } of onNode) {
      const sum = sums.get(likeness) ?? { dearness: 0, pods: 0 };
      sums.set(likeness, sum);
      sum.dearness += cheapest.offering.usdPerHour / worth;
      sum.pods += 1;
    }
  }
  return new Map([...sums].map(([likeness, { dearness, pods }]) => [likeness, dearness / pods]));
}

/** `prices`, with the pods of `groups` valued as corrections have it. */
export function withCorrections(
  prices: Prices,
  corrections: Corrections,
  groups: readonly PodGroup[],
): Prices {
  if (corrections.size === 0) return prices;
  const valued = (group: PodGroup): number =>
    corrections.get(group.likeness) ?? prices.worthOf(group);
  const boosts = groups.map((group) => {
    const worth = prices.worthOf(group);
    return worth > 0 ? valued(group) / worth : 1;
  });
  return { ...prices, valueOf: valued, boost: Math.max(1, ...boosts) };
}
