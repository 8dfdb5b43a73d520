/** Required topology spread, pod affinity and anti-affinity: what they say of each node. */
import { type LabelSelector, selects } from '#lib/constraints/label-selector.ts';
import { tolerates } from '#lib/constraints/taints.ts';
import { type ClusterView, type NodeInfo, tolerationsOf } from './node-info.ts';
import type { NodeRefusal } from './node-refusal.ts';
import { wantsNode } from './node-terms.ts';
import { selectorOf } from './selector-of.ts';
import type { Store } from './store.ts';
import type { PodObject, PodTerm, SpreadConstraint } from './wire.ts';

/** What other pods' places say of the nodes for one pod. */
export interface TopologyRules {
  readonly refuse: (info: NodeInfo) => NodeRefusal | undefined;
}

type Rule = (info: NodeInfo) => NodeRefusal | undefined;

/** The rules for `pod`, counted over all pods once. Costs O(pods) for each term it has. */
export function topologyRules(pod: PodObject, view: ClusterView, store: Store): TopologyRules {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  const rules: Rule[] = [
    ...hard.map((constraint) => spreadRule(pod, constraint, hard, view)),
    ...waryRules(pod, view, store),
    ...affinityRules(pod, view, store),
  ];
  return {
    refuse: (info) => {
      for (const rule of rules) {
        const refusal = rule(info);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
  };
}

const labelOf = ({ node }: NodeInfo, key: string): string | undefined =>
  node.metadata.labels?.[key];

/** A constraint's selector with the pod's own values of matchLabelKeys. */
export function spreadSelector(
  { labelSelector, matchLabelKeys }: SpreadConstraint,
  pod: PodObject,
): LabelSelector | undefined {
  const selector = selectorOf(labelSelector);
  if (selector === undefined || matchLabelKeys === undefined) return selector;
  const own = matchLabelKeys.flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...own] };
}

/** Source: kubernetes v1.36, plugins/podtopologyspread/filtering.go. */
function spreadRule(
  pod: PodObject,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  view: ClusterView,
): Rule {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const selector = spreadSelector(constraint, pod);
  const counts = new Map<string, number>();
  for (const info of view.nodes.values()) {
    const domain = labelOf(info, topologyKey);
    if (domain === undefined || !takesPart(pod, info, constraint, all)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + countMatching(info, pod, selector));
  }
  const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const self = selects(selector, pod.metadata.labels ?? {}) ? 1 : 0;
  return (info) => {
    const domain = labelOf(info, topologyKey);
    if (domain === undefined) {
      const reason =
        "node(s) didn't match pod topology spread constraints (missing required label)";
      return { plugin: 'PodTopologySpread', reasons: [reason], isResolvable: false };
    }
    const skew = (counts.get(domain) ?? 0) + self - least;
    if (skew <= maxSkew) return undefined;
    const reason = "node(s) didn't match pod topology spread constraints";
    return { plugin: 'PodTopologySpread', reasons: [reason], isResolvable: true };
  };
}

function takesPart(
  pod: PodObject,
  info: NodeInfo,
  { nodeAffinityPolicy, nodeTaintsPolicy }: SpreadConstraint,
  all: readonly SpreadConstraint[],
): boolean {
  if (all.some(({ topologyKey }) => labelOf(info, topologyKey) === undefined)) return false;
  if (nodeAffinityPolicy !== 'Ignore' && !wantsNode(pod.spec, info.node)) return false;
  if (nodeTaintsPolicy !== 'Honor') return true;
  return info.taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerates(taint, tolerationsOf(pod)),
  );
}

/** Pods of a pod's namespace on a node that a selector selects, those that are leaving excepted. */
export function countMatching(
  info: NodeInfo,
  { metadata }: PodObject,
  selector: LabelSelector | undefined,
): number {
  let count = 0;
  for (const other of info.pods.values()) {
    if (other.metadata.namespace !== metadata.namespace) continue;
    if (other.metadata.deletionTimestamp !== undefined) continue;
    if (selects(selector, other.metadata.labels ?? {})) count += 1;
  }
  return count;
}

/** Whether `other` is one of the pods that a term of `pod` is about. */
export function termMatches(
  term: PodTerm,
  pod: PodObject,
  other: PodObject,
  store: Store,
): boolean {
  if (!selects(selectorOf(term.labelSelector), other.metadata.labels ?? {})) return false;
  const namespace = other.metadata.namespace ?? '';
  const named = term.namespaces ?? [];
  if (named.includes(namespace)) return true;
  if (term.namespaceSelector !== undefined) {
    const labels = store.get('Namespace', '', namespace)?.metadata.labels ?? {};
    return selects(selectorOf(term.namespaceSelector), labels);
  }
  return named.length === 0 && namespace === pod.metadata.namespace;
}

/** Domains of a term's key where pods that it is about stand. */
function occupied(term: PodTerm, pod: PodObject, view: ClusterView, store: Store): Set<string> {
  const domains = new Set<string>();
  for (const info of view.nodes.values()) {
    const domain = labelOf(info, term.topologyKey);
    if (domain === undefined || domains.has(domain)) continue;
    for (const other of info.pods.values()) {
      if (!termMatches(term, pod, other, store)) continue;
      domains.add(domain);
      break;
    }
  }
  return domains;
}

const refuse = (reason: string): NodeRefusal => ({
  plugin: 'InterPodAffinity',
  reasons: [reason],
  isResolvable: true,
});

/** Source: kubernetes v1.36, plugins/interpodaffinity/filtering.go. */
function affinityRules(pod: PodObject, view: ClusterView, store: Store): readonly Rule[] {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const near = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const away = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const nearDomains = near.map((term) => ({ term, domains: occupied(term, pod, view, store) }));
  const isFirst =
    nearDomains.every(({ domains }) => domains.size === 0) &&
    near.every((term) => termMatches(term, pod, pod, store));
  const rules: Rule[] = nearDomains.map(({ term, domains }) => (info) => {
    const domain = labelOf(info, term.topologyKey);
    const isNear = domain !== undefined && (isFirst || domains.has(domain));
    return isNear ? undefined : refuse("node(s) didn't match pod affinity rules");
  });
  for (const term of away) {
    const domains = occupied(term, pod, view, store);
    rules.push((info) =>
      domains.has(labelOf(info, term.topologyKey) ?? '')
        ? refuse("node(s) didn't match pod anti-affinity rules")
        : undefined,
    );
  }
  return rules;
}

/** What pods that are already placed and want others kept away say of this one. */
function waryRules(pod: PodObject, view: ClusterView, store: Store): readonly Rule[] {
  const closed = new Map<string, Set<string>>();
  for (const other of view.wary.values()) {
    for (const { key, domain } of closedBy(other, pod, view, store)) {
      closed.set(key, (closed.get(key) ?? new Set()).add(domain));
    }
  }
  return [...closed].map(
    ([key, domains]) =>
      (info) =>
        domains.has(labelOf(info, key) ?? '')
          ? refuse("node(s) didn't satisfy existing pods anti-affinity rules")
          : undefined,
  );
}

function closedBy(
  other: PodObject,
  pod: PodObject,
  view: ClusterView,
  store: Store,
): readonly { readonly key: string; readonly domain: string }[] {
  const info = view.nodes.get(other.spec.nodeName ?? '');
  const anti = other.spec.affinity?.podAntiAffinity;
  const terms = anti?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.flatMap((term) => {
    const key = term.topologyKey;
    const domain = info === undefined ? undefined : labelOf(info, key);
    return domain === undefined || !termMatches(term, other, pod, store) ? [] : [{ key, domain }];
  });
}
