import { isTerminal, isTerminating } from '#lib/consent/pod-state.ts';
import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { operatorOf } from '#lib/constraints/requirement.ts';
import { onlyValue, type Requirements } from '#lib/constraints/requirements.ts';
import { HOSTNAME, WELL_KNOWN } from '#lib/model/labels.ts';
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
  /** Whether it has, or may come to have, a value that is not known yet. */
  readonly isOpen: (topologyKey: string) => boolean;
}

/**
 * The wishes for company and distance that pods do not have when everything stands, by wish. A
 * node of which a domain is open counts as nobody's company, and as too near to everybody.
 *
 * Cost: pods × distinct wishes, if there are any.
 */
export function unmetWishes(problem: WishProblem): readonly WishGivenUp[] {
  const { wishes } = problem;
  if (!wishes.areAny) return [];
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
    const { topologyKey } = wish.asked;
    const value = stand.labelOf(topologyKey) ?? (stand.isOpen(topologyKey) ? '' : undefined);
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
      isOpen: (key) => node === undefined && key !== HOSTNAME && labels[key] === undefined,
    };
  });
  const onClaims = packed.claims.map(
    ({ requirements, pods }, at): Stand => ({
      pods,
      labelOf: (key) => (key === HOSTNAME ? `new ${at}` : onlyValue(requirements, key)),
      isOpen: (key) => key !== HOSTNAME && isLeftOpen(requirements, key),
    }),
  );
  return [...onNodes, ...onClaims];
}

/** Whether a new node has the label, but nobody knows with which value. */
function isLeftOpen(requirements: Requirements, key: string): boolean {
  const label = requirements.get(key);
  if (!label) return WELL_KNOWN.has(key);
  return operatorOf(label) !== 'DoesNotExist' && onlyValue(requirements, key) === undefined;
}

const isCounted = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

/** By domain, how many pods a rule selects there; under '' those whose domain is open. */
function tallied(rule: TopologyRule, stands: readonly Stand[]): ReadonlyMap<string, number> {
  const tally = new Map<string, number>();
  for (const { pods, labelOf, isOpen } of stands) {
    const value = labelOf(rule.topologyKey) ?? (isOpen(rule.topologyKey) ? '' : undefined);
    if (value === undefined) continue;
    const selected = pods.filter((pod) => isSelected(rule, pod)).length;
    if (selected > 0) tally.set(value, (tally.get(value) ?? 0) + selected);
  }
  return tally;
}

function isMet(
  rule: TopologyRule,
  pod: Pod,
  /** '' where it is open; undefined where the node is in no domain. */
  value: string | undefined,
  { tally, domains }: { readonly tally: ReadonlyMap<string, number>; readonly domains: Domains },
): boolean {
  if (value === undefined) return rule.kind === 'antiAffinity';
  const self = isSelected(rule, pod) ? 1 : 0;
  const here = tally.get(value) ?? 0;
  const isKnown = value !== '';
  switch (rule.kind) {
    case 'affinity':
      return isKnown && here - self > 0;
    case 'antiAffinity': {
      const near = isKnown ? here + (tally.get('') ?? 0) : sumOf(tally);
      return near - self === 0;
    }
    case 'spread':
      return isKnown && here - leastIn(rule, here, tally, domains) <= rule.maxSkew;
  }
}

const sumOf = (tally: ReadonlyMap<string, number>): number =>
  [...tally.values()].reduce((sum, count) => sum + count, 0);

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
