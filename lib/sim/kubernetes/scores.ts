/**
 * Which of the nodes that take a pod it goes to: kube-scheduler's default scores and weights.
 *
 * Approximated: default spreading looks at pods of the same controller (upstream: of the same
 * Service or controller selector), and counts with linear instead of logarithmic weights;
 * ImageLocality is left out (every node pulls); NodeResourcesFit is LeastAllocated.
 *
 * Source: kubernetes v1.36, scheduler/apis/config/v1/default_plugins.go and framework/plugins.
 */
import { tolerates } from '#lib/constraints/taints.ts';
import { HOSTNAME, ZONE } from '#lib/model/labels.ts';
import { type ClusterView, countedRequests, type NodeInfo, tolerationsOf } from './node-info.ts';
import { matchesTerm } from './node-terms.ts';
import type { Store } from './store.ts';
import { countMatching, spreadSelector, termMatches } from './topology-filters.ts';
import type { PodObject } from './wire.ts';
import { controllerUid } from './writer.ts';

const WEIGHT = { taints: 3, nodeAffinity: 2, spread: 2, podAffinity: 2, fit: 1, balance: 1 };

/** The score of each node, in the order given; the highest wins. */
export function scoresOf(
  pod: PodObject,
  nodes: readonly NodeInfo[],
  view: ClusterView,
  store: Store,
): readonly number[] {
  const total = nodes.map(
    (info) => WEIGHT.fit * leastAllocated(pod, info) + WEIGHT.balance * balanced(pod, info),
  );
  const add = (scores: readonly number[] | undefined, weight: number): void => {
    for (const [index, score] of (scores ?? []).entries()) {
      total[index] = (total[index] ?? 0) + weight * score;
    }
  };
  add(lessIsMore(nodes.map((info) => unwanted(pod, info))), WEIGHT.taints);
  add(moreIsMore(nodes.map((info) => wanted(pod, info))), WEIGHT.nodeAffinity);
  add(spreadScores(pod, nodes, view), WEIGHT.spread);
  add(podAffinityScores(pod, nodes, view, store), WEIGHT.podAffinity);
  return total;
}

/** 0 to 100, the highest count getting 100; undefined where there is nothing to tell apart. */
function moreIsMore(counts: readonly number[]): readonly number[] | undefined {
  const most = Math.max(...counts);
  return most <= 0 ? undefined : counts.map((count) => (100 * count) / most);
}

const lessIsMore = (counts: readonly number[]): readonly number[] | undefined =>
  moreIsMore(counts)?.map((score) => 100 - score);

/** What share of the node would be taken, of each resource that counts. */
function shares(pod: PodObject, { counted, allocatable }: NodeInfo): readonly number[] {
  const own = countedRequests(pod);
  return (['cpu', 'memory'] as const).map((name) => {
    const has = allocatable[name] ?? 0;
    return has === 0 ? 1 : Math.min(1, (counted[name] + own[name]) / has);
  });
}

function leastAllocated(pod: PodObject, info: NodeInfo): number {
  const [cpu = 1, memory = 1] = shares(pod, info);
  return Math.floor((100 * (1 - cpu) + 100 * (1 - memory)) / 2);
}

function balanced(pod: PodObject, info: NodeInfo): number {
  const [cpu = 1, memory = 1] = shares(pod, info);
  return Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);
}

const unwanted = (pod: PodObject, { taints }: NodeInfo): number =>
  taints.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(taint, tolerationsOf(pod)),
  ).length;

function wanted({ spec }: PodObject, { node }: NodeInfo): number {
  const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.reduce(
    (sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0),
    0,
  );
}

/** Source: kubernetes v1.36, plugins/podtopologyspread/plugin.go, systemDefaultConstraints. */
const DEFAULT_SPREAD = [HOSTNAME, ZONE];

function spreadScores(
  pod: PodObject,
  nodes: readonly NodeInfo[],
  view: ClusterView,
): readonly number[] | undefined {
  const own = pod.spec.topologySpreadConstraints ?? [];
  const soft = own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  const controller = controllerUid(pod);
  const rules =
    own.length > 0
      ? soft.map((constraint) => {
          const selector = spreadSelector(constraint, pod);
          const count = (info: NodeInfo): number => countMatching(info, pod, selector);
          return { key: constraint.topologyKey, count };
        })
      : DEFAULT_SPREAD.map((key) => ({ key, count: siblings(controller) }));
  if (rules.length === 0 || (own.length === 0 && controller === undefined)) return undefined;
  const sums = rules.map(({ key, count }) => domainCounts(key, count, nodes, view));
  return lessIsMore(
    nodes.map((_, index) => sums.reduce((total, counts) => total + (counts[index] ?? 0), 0)),
  );
}

const siblings =
  (controller: string | undefined) =>
  (info: NodeInfo): number =>
    controller === undefined ? 0 : (info.podsByController.get(controller) ?? 0);

/** For each node the count of its domain; those of a hostname need no sum. */
function domainCounts(
  key: string,
  count: (info: NodeInfo) => number,
  nodes: readonly NodeInfo[],
  view: ClusterView,
): readonly number[] {
  if (key === HOSTNAME) return nodes.map(count);
  const totals = new Map<string, number>();
  for (const info of view.nodes.values()) {
    const domain = info.node.metadata.labels?.[key];
    if (domain !== undefined) totals.set(domain, (totals.get(domain) ?? 0) + count(info));
  }
  return nodes.map(({ node }) => totals.get(node.metadata.labels?.[key] ?? '') ?? 0);
}

function podAffinityScores(
  pod: PodObject,
  nodes: readonly NodeInfo[],
  view: ClusterView,
  store: Store,
): readonly number[] | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const away = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [
    ...near.map(({ weight, podAffinityTerm }) => ({ weight, term: podAffinityTerm })),
    ...away.map(({ weight, podAffinityTerm }) => ({ weight: -weight, term: podAffinityTerm })),
  ];
  if (terms.length === 0) return undefined;
  const scores = nodes.map(() => 0);
  for (const { weight, term } of terms) {
    const count = (info: NodeInfo): number =>
      [...info.pods.values()].filter((other) => termMatches(term, pod, other, store)).length;
    const counts = domainCounts(term.topologyKey, count, nodes, view);
    for (const [index, found] of counts.entries()) {
      scores[index] = (scores[index] ?? 0) + weight * found;
    }
  }
  const least = Math.min(...scores);
  return moreIsMore(scores.map((score) => score - least));
}
