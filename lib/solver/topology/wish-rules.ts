import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod, PodAffinityTerm } from '#lib/model/pod.ts';
import type { Namespace } from '#lib/model/workload.ts';
import type { TopologyRule } from './rule.ts';
import { affinityRule, antiAffinityRule, spreadRule, whomOf } from './rule-of.ts';
import { textOf } from './rule-text.ts';

/** Something that a pod would like of the pods around it. */
export interface TopologyWish {
  /** For the person who reads the plan: its topology spread (ScheduleAnyway) over …. */
  readonly text: string;
  /** What the pod says. */
  readonly asked: TopologyRule;
  /** What is tried to come near it. */
  readonly rule: TopologyRule;
}

/** Which kinds of wishes are granted: those that are about single nodes, and all others. */
export interface Granting {
  readonly perNode: boolean;
  readonly perDomain: boolean;
}

/** What pods would like of the pods around them. */
export interface TopologyWishes {
  /** Cost: the pod's wishes, once for each pod. */
  readonly of: (pod: Pod) => readonly TopologyWish[];
  readonly areAny: boolean;
  /** How many pods of the batch have the wish. */
  readonly wishers: (wish: TopologyWish) => number;
}

/**
 * The wishes of `pods` for company or distance.
 *
 * That pods would rather stand apart is a spread: as far apart as there are nodes, instead of
 * one by one as long as nodes can be made.
 * Source of what counts as a wish: karpenter v1.14, provisioning/scheduling/preferences.go.
 */
export function topologyWishesOf(
  pods: readonly Pod[],
  namespaces: readonly Namespace[],
): TopologyWishes {
  const wishes = new Map<Pod, readonly TopologyWish[]>();
  const wishers = new Map<string, number>();
  for (const pod of pods) {
    const own = wishesOf(pod, namespaces);
    if (own.length === 0) continue;
    wishes.set(pod, own);
    for (const { rule } of own) wishers.set(textOf(rule), (wishers.get(textOf(rule)) ?? 0) + 1);
  }
  return {
    of: (pod) => wishes.get(pod) ?? NONE,
    areAny: wishes.size > 0,
    wishers: ({ rule }) => wishers.get(textOf(rule)) ?? 0,
  };
}

const NONE: readonly TopologyWish[] = [];

/** Whether a wish is about single nodes. */
export const isPerNode = ({ rule }: TopologyWish): boolean => rule.topologyKey === HOSTNAME;

function wishesOf(pod: Pod, namespaces: readonly Namespace[]): readonly TopologyWish[] {
  if (!mayWish(pod)) return NONE;
  const spreads = pod.topologySpread.filter((each) => each.whenUnsatisfiable === 'ScheduleAnyway');
  return [
    ...spreads.map((constraint) => {
      const rule = spreadRule(constraint, pod);
      const text = `its topology spread (ScheduleAnyway) over ${constraint.topologyKey}`;
      return { text, asked: rule, rule };
    }),
    ...pod.podAffinity.preferred.map(({ term }) => {
      const rule = affinityRule(term, [whomOf(term, pod, namespaces)]);
      return { text: `its preferred pod affinity over ${term.topologyKey}`, asked: rule, rule };
    }),
    ...pod.podAntiAffinity.preferred.map(({ term }) => ({
      text: `its preferred pod anti-affinity over ${term.topologyKey}`,
      asked: antiAffinityRule(term, pod, namespaces),
      rule: distanceRule(term, pod, namespaces),
    })),
  ];
}

const mayWish = ({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean =>
  topologySpread.length > 0 ||
  podAffinity.preferred.length > 0 ||
  podAntiAffinity.preferred.length > 0;

/** Among its like in its own namespace a pod keeps its distance by a spread. */
function distanceRule(
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): TopologyRule {
  const rule = antiAffinityRule(term, pod, namespaces);
  const isAmongItsOwn = rule.whom.every(
    (whom) =>
      whom.namespaces !== 'all' &&
      whom.namespaces.size === 1 &&
      whom.namespaces.has(pod.meta.namespace),
  );
  return isAmongItsOwn ? { ...rule, kind: 'spread', maxSkew: 1 } : rule;
}

/**
 * The rule of a wish when `nodes` are there to stand on: a spread over nodes lets as many share
 * one as must.
 */
export function ruleFor(wish: TopologyWish, wishers: number, nodes: number): TopologyRule {
  const { rule } = wish;
  if (!isPerNode(wish) || rule.kind !== 'spread') return rule;
  return { ...rule, maxSkew: Math.max(rule.maxSkew, Math.ceil(wishers / Math.max(1, nodes))) };
}
