import { isTerminal, isTerminating } from '#lib/consent/pod-state.ts';
import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { onlyValue } from '#lib/constraints/requirements.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Packed } from '../attempt.ts';
import type { Domains } from '../topology/domains.ts';
import type { TopologyRule } from '../topology/rule.ts';
import { textOf } from '../topology/rule-text.ts';
import { isSelected } from '../topology/rules.ts';
import type { TopologyWish, TopologyWishes } from '../topology/wish-rules.ts';
import type { WishGivenUp } from './wishes.ts';

/** What a plan is judged by. */
export interface WishProblem {
  readonly packed: Packed;
  readonly nodes: readonly StateNode[];
  readonly domains: Domains;
  readonly wishes: TopologyWishes;
}

/** A node when everything stands: who is on it, and which values its labels surely have. */
interface Stand {
  readonly pods: readonly Pod[];
  readonly labelOf: (topologyKey: string) => string | undefined;
}

/**
 * The wishes for company and distance that pods do not have when everything stands, by wish. A
 * node of which a domain is open counts as nobody's company, and as too near to everybody.
 *
 * Cost: pods × distinct wishes, if there are any.
 */
export function unmetWishes(problem: WishProblem): readonly WishGivenUp[] {
  const { wishes } = problem;
  const stands = standsOf(problem);
  const wishful = stands.flatMap((stand) =>
    stand.pods.flatMap((pod) => wishes.of(pod).map((wish) => ({ pod, stand, wish }))),
  );
  if (wishful.length === 0) return [];
  const tallies = new Map<string, ReadonlyMap<string, number>>();
  const tallyOf = ({ asked }: TopologyWish): ReadonlyMap<string, number> => {
    const text = textOf(asked);
    const tally = tallies.get(text) ?? tallied(asked, stands);
    tallies.set(text, tally);
    return tally;
  };
  const unmet = new Map<string, Pod[]>();
  for (const { pod, stand, wish } of wishful) {
    const value = stand.labelOf(wish.asked.topologyKey);
    if (isMet(wish.asked, pod, value, { tally: tallyOf(wish), domains: problem.domains })) continue;
    unmet.set(wish.text, [...(unmet.get(wish.text) ?? []), pod]);
  }
  return [...unmet]
    .sort(([a], [b]) => compareText(a, b))
    .map(([wish, pods]) => ({ wish, pods: [...new Set(pods)].sort(byNamespacedName) }));
}

function standsOf({ packed, nodes }: WishProblem): readonly Stand[] {
  const added = Map.groupBy(packed.placements, ({ host }) => host);
  const moved = new Set(
    [...packed.placements.map(({ pod }) => pod), ...packed.claims.flatMap(({ pods }) => pods)].map(
      ({ meta }) => meta.uid,
    ),
  );
  const onNodes = nodes.map(({ name, node, claim, pods }): Stand => {
    const labels = { ...claim?.meta.labels, ...node?.meta.labels };
    const stay = pods.filter((pod) => isCounted(pod) && !moved.has(pod.meta.uid));
    return {
      pods: [...stay, ...(added.get(name) ?? []).map(({ pod }) => pod)],
      labelOf: (key) => (key === HOSTNAME ? name : labels[key]),
    };
  });
  const onClaims = packed.claims.map(
    ({ requirements, pods }, at): Stand => ({
      pods,
      labelOf: (key) => (key === HOSTNAME ? `new ${at}` : onlyValue(requirements, key)),
    }),
  );
  return [...onNodes, ...onClaims];
}

const isCounted = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

/** By domain, how many pods a rule selects there; under '' those whose domain is open. */
function tallied(rule: TopologyRule, stands: readonly Stand[]): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const { pods, labelOf } of stands) {
    const selected = pods.filter((pod) => isSelected(rule, pod)).length;
    const value = labelOf(rule.topologyKey) ?? '';
    if (selected > 0) tally.set(value, (tally.get(value) ?? 0) + selected);
  }
  return tally;
}

function isMet(
  rule: TopologyRule,
  pod: Pod,
  value: string | undefined,
  { tally, domains }: { readonly tally: ReadonlyMap<string, number>; readonly domains: Domains },
): boolean {
  const self = isSelected(rule, pod) ? 1 : 0;
  const here = (value === undefined ? 0 : tally.get(value)) ?? 0;
  const open = tally.get('') ?? 0;
  switch (rule.kind) {
    case 'affinity':
      return value !== undefined && here - self > 0;
    case 'antiAffinity':
      return value === undefined ? open - self === 0 && tally.size <= 1 : here - self + open === 0;
    case 'spread':
      return value !== undefined && here - leastIn(rule, here, tally, domains) <= rule.maxSkew;
  }
}

function leastIn(
  rule: TopologyRule,
  here: number,
  tally: ReadonlyMap<string, number>,
  domains: Domains,
): number {
  if (rule.topologyKey === HOSTNAME) return 0;
  const counts = domains.lookedAtBy(rule).map((domain) => tally.get(domain) ?? 0);
  return Math.min(here, ...counts);
}
