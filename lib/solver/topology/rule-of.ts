import { selects } from '#lib/constraints/label-selector.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Namespace } from '#lib/model/workload.ts';
import {
  asksNothing,
  bothAsked,
  type LabelAsk,
  labelAskOf,
  requiredAlternatives,
} from '../pods/ask.ts';
import type { TopologyRule, Whom } from './rule.ts';

/** The rules that a pod demands to be kept. */
export function requiredRules(pod: Pod, namespaces: readonly Namespace[]): readonly TopologyRule[] {
  const terms = pod.podAffinity.required;
  const near = terms.map((term) => whomOf(term, pod, namespaces));
  const termKeys = terms.map(({ topologyKey }) => topologyKey);
  return [
    ...pod.topologySpread.filter(isDemanded).map((constraint) => spreadRule(constraint, pod)),
    ...terms.map((term) => ({ ...affinityRule(term, near), termKeys })),
    ...pod.podAntiAffinity.required.map((term) => antiAffinityRule(term, pod, namespaces)),
  ];
}

const isDemanded = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  whenUnsatisfiable === 'DoNotSchedule';

/**
 * A spread as a rule of the pod that asks for it. Nodes that lack the label of another spread that
 * the pod demands do not count for this one either.
 *
 * Source: kubernetes v1.36, podtopologyspread/filtering.go, calPreFilterState. In karpenter v1.14
 * each spread counts for itself, and policy Ignore compares only domains that the pod may go to.
 */
export function spreadRule(constraint: TopologySpreadConstraint, pod: Pod): TopologyRule {
  const { topologyKey, selector, maxSkew, minDomains = 0 } = constraint;
  const restrictsNodes =
    Object.keys(pod.nodeSelector).length > 0 || pod.nodeAffinity.required.length > 0;
  const honorsAffinity = constraint.nodeAffinityPolicy === 'Honor' && restrictsNodes;
  const labels = isDemanded(constraint) ? labelsBeside(constraint, pod) : [];
  const looksEverywhere = restrictsNodes && !honorsAffinity;
  return {
    kind: 'spread',
    topologyKey,
    whom: [{ namespaces: new Set([pod.meta.namespace]), selector }],
    termKeys: [],
    maxSkew,
    minDomains,
    filter: {
      ...((honorsAffinity || labels.length > 0) && {
        alternatives: alternativesWith(labels, honorsAffinity ? requiredAlternatives(pod) : ANY),
      }),
      ...(constraint.nodeTaintsPolicy === 'Honor' && { tolerations: pod.tolerations }),
      ...(looksEverywhere && { looksEverywhere }),
    },
  };
}

const ANY: readonly LabelAsk[] = [asksNothing];

/** The keys of the other spreads that a pod demands; every node has a hostname. */
const labelsBeside = ({ topologyKey: own }: TopologySpreadConstraint, pod: Pod) =>
  pod.topologySpread
    .filter(isDemanded)
    .map(({ topologyKey }) => topologyKey)
    .filter((key) => key !== own && key !== HOSTNAME);

function alternativesWith(
  labels: readonly string[],
  alternatives: readonly LabelAsk[],
): readonly LabelAsk[] {
  if (labels.length === 0) return alternatives;
  const all = labelAskOf(labels.map((key) => ({ key, operator: 'Exists' })));
  return alternatives.flatMap((ask) => (all && bothAsked(ask, all)) ?? []);
}

/**
 * An affinity as a rule of the pod that asks for it. Only who is wanted by all of a pod's terms
 * serves any of them.
 *
 * Source: kubernetes v1.36, interpodaffinity/filtering.go, updateWithAffinityTerms. In karpenter
 * v1.14 each term counts for itself.
 */
export const affinityRule = (
  { topologyKey }: PodAffinityTerm,
  whom: readonly Whom[],
): TopologyRule => ({
  kind: 'affinity',
  topologyKey,
  whom,
  termKeys: [topologyKey],
  maxSkew: Number.POSITIVE_INFINITY,
  minDomains: 0,
  filter: {},
});

/** An anti-affinity as a rule of the pod that asks for it. */
export const antiAffinityRule = (
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): TopologyRule => ({
  ...affinityRule(term, [whomOf(term, pod, namespaces)]),
  kind: 'antiAffinity',
});

/** Whom a term of a pod is about. */
export const whomOf = (
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): Whom => ({ namespaces: namespacesOf(term, pod, namespaces), selector: term.selector });

/**
 * Listed and selected namespaces together; without either, the pod's own.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, buildNamespaceList.
 */
function namespacesOf(
  { namespaces: listed, namespaceSelector: selector }: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): ReadonlySet<string> | 'all' {
  if (!selector) return new Set(listed.length > 0 ? listed : [pod.meta.namespace]);
  const selectsAll =
    selector.matchExpressions.length === 0 && Object.keys(selector.matchLabels).length === 0;
  if (selectsAll) return 'all';
  const selected = namespaces.filter(({ meta }) => selects(selector, meta.labels));
  return new Set([...listed, ...selected.map(({ meta }) => meta.name)]);
}
