import { type LabelSelector, selects } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { Toleration } from '#lib/constraints/taints.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#lib/model/pod.ts';
import type { Namespace } from '#lib/model/workload.ts';
import { type LabelAsk, requiredAlternatives } from '../ask.ts';

/**
 * How pods that a selector selects may stand over the domains of a node label: evenly (spread),
 * together (affinity), or apart from its owner (antiAffinity). Owners are the pods that ask for it.
 */
export interface TopologyRule {
  readonly kind: 'spread' | 'affinity' | 'antiAffinity';
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string> | 'all';
  /** Absent: selects nobody. */
  readonly selector: LabelSelector | undefined;
  /** Of a spread: how many more pods a domain may have than the emptiest one. */
  readonly maxSkew: number;
  /** Of a spread: with fewer domains than this, the emptiest one counts as empty. */
  readonly minDomains: number;
  /** Of a spread: on which nodes pods count. */
  readonly filter: NodeFilter;
}

/** Which nodes a spread looks at. */
export interface NodeFilter {
  /** One of them must hold; absent: every node's labels will do. */
  readonly alternatives?: readonly LabelAsk[];
  /** They must put up with every taint; absent: taints do not matter. */
  readonly tolerations?: readonly Toleration[];
}

/** What a pod is to one rule: its owner, one that it selects, or both. */
export interface Part {
  readonly rule: TopologyRule;
  readonly owns: boolean;
  readonly selected: boolean;
}

/** What a pod is to all rules of a solve. */
export interface Standing {
  /** To those over the hostname, which hold for each node by itself. */
  readonly byNode: readonly Part[];
  /** To all others, which hold for zones and the like. */
  readonly byDomain: readonly Part[];
  /** Pods of equal text are the same to every rule over the hostname. */
  readonly byNodeText: string;
  /** The same for every other rule. */
  readonly byDomainText: string;
}

/** All rules that matter in one solve. */
export interface RuleBook {
  /** Cost: the rules, once for each distinct set of labels. */
  readonly standingOf: (pod: Pod) => Standing;
  /** The rules that a running pod imposes on others: its required anti-affinity. */
  readonly imposedBy: (pod: Pod) => readonly TopologyRule[];
  /** The rules that count a pod, or keep it away; the same list for pods with the same labels. */
  readonly selecting: (pod: Pod) => readonly TopologyRule[];
  /** Those that some pod of the batch owns or is selected by. */
  readonly rules: readonly TopologyRule[];
}

/**
 * The rules of `batch`, the pods to place, and of those that run already. Equal rules are one.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, Update and
 * updateInverseAntiAffinity. There minDomains does not tell rules apart, and what differs only in
 * it shares the first one's.
 */
export function ruleBookOf(
  batch: readonly Pod[],
  running: readonly Pod[],
  namespaces: readonly Namespace[],
): RuleBook {
  const known = new Map<string, TopologyRule>();
  const intern = (rule: TopologyRule): TopologyRule => {
    const text = textOf(rule);
    const same = known.get(text);
    if (same) return same;
    known.set(text, rule);
    return rule;
  };
  const owned = new Map<string, readonly TopologyRule[]>();
  const ownedBy = (pod: Pod): readonly TopologyRule[] => {
    if (!hasRules(pod)) return NONE;
    const text = ownershipText(pod);
    const before = owned.get(text);
    if (before) return before;
    const rules = [...new Set(requiredRules(pod, namespaces).map(intern))];
    owned.set(text, rules);
    return rules;
  };
  const imposedBy = (pod: Pod): readonly TopologyRule[] =>
    pod.podAntiAffinity.required.length === 0
      ? NONE
      : pod.podAntiAffinity.required.map((term) => intern(antiAffinityRule(term, pod, namespaces)));
  for (const pod of batch) ownedBy(pod);
  for (const pod of running) imposedBy(pod);
  const inOrder = [...known].sort(([a], [b]) => compareText(a, b)).map(([, rule]) => rule);
  const numbers = new Map(inOrder.map((rule, at) => [rule, at]));
  const selection = new Map<string, readonly TopologyRule[]>();
  const selecting = (pod: Pod): readonly TopologyRule[] => {
    if (inOrder.length === 0) return NONE;
    const text = labelsText(pod);
    const before = selection.get(text);
    if (before) return before;
    const rules = inOrder.filter((rule) => isSelected(rule, pod));
    selection.set(text, rules);
    return rules;
  };
  const standings = new Map<string, Standing>();
  const standingOf = (pod: Pod): Standing => {
    const [owns, selected] = [ownedBy(pod), selecting(pod)];
    if (owns.length === 0 && selected.length === 0) return NO_STANDING;
    const numberOf = (rule: TopologyRule): number => numbers.get(rule) ?? -1;
    const text = `${owns.map(numberOf).join()}|${selected.map(numberOf).join()}`;
    const before = standings.get(text);
    if (before) return before;
    const standing = standingAmong(inOrder, new Set(owns), new Set(selected));
    standings.set(text, standing);
    return standing;
  };
  const touched = new Set(batch.flatMap((pod) => [...ownedBy(pod), ...selecting(pod)]));
  return {
    standingOf,
    imposedBy,
    selecting,
    rules: inOrder.filter((rule) => touched.has(rule)),
  };
}

const NONE: readonly TopologyRule[] = [];

const NO_STANDING: Standing = { byNode: [], byDomain: [], byNodeText: '', byDomainText: '' };

function standingAmong(
  rules: readonly TopologyRule[],
  owns: ReadonlySet<TopologyRule>,
  selected: ReadonlySet<TopologyRule>,
): Standing {
  const parts = rules.flatMap((rule, number) =>
    owns.has(rule) || selected.has(rule)
      ? [{ number, part: { rule, owns: owns.has(rule), selected: selected.has(rule) } }]
      : [],
  );
  const byNode = parts.filter(({ part }) => part.rule.topologyKey === HOSTNAME);
  const byDomain = parts.filter(({ part }) => part.rule.topologyKey !== HOSTNAME);
  return {
    byNode: byNode.map(({ part }) => part),
    byDomain: byDomain.map(({ part }) => part),
    byNodeText: textOfParts(byNode),
    byDomainText: textOfParts(byDomain),
  };
}

const textOfParts = (parts: readonly { readonly number: number; readonly part: Part }[]): string =>
  parts
    .map(
      ({ number, part: { owns, selected } }) => `${number}${owns ? 'o' : ''}${selected ? 's' : ''}`,
    )
    .join();

/** Whether the rule counts `pod`, or keeps it away. */
const isSelected = ({ namespaces, selector }: TopologyRule, { meta }: Pod): boolean =>
  (namespaces === 'all' || namespaces.has(meta.namespace)) && selects(selector, meta.labels);

const hasRules = ({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean =>
  topologySpread.length > 0 ||
  podAffinity.required.length > 0 ||
  podAntiAffinity.required.length > 0;

function requiredRules(pod: Pod, namespaces: readonly Namespace[]): readonly TopologyRule[] {
  return [
    ...pod.topologySpread
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => spreadRule(constraint, pod)),
    ...pod.podAffinity.required.map((term) => affinityRule(term, pod, namespaces)),
    ...pod.podAntiAffinity.required.map((term) => antiAffinityRule(term, pod, namespaces)),
  ];
}

function spreadRule(constraint: TopologySpreadConstraint, pod: Pod): TopologyRule {
  const { topologyKey, selector, maxSkew, minDomains = 0 } = constraint;
  const restrictsNodes =
    Object.keys(pod.nodeSelector).length > 0 || pod.nodeAffinity.required.length > 0;
  const honorsAffinity = constraint.nodeAffinityPolicy === 'Honor' && restrictsNodes;
  return {
    kind: 'spread',
    topologyKey,
    namespaces: new Set([pod.meta.namespace]),
    selector,
    maxSkew,
    minDomains,
    filter: {
      ...(honorsAffinity && { alternatives: requiredAlternatives(pod) }),
      ...(constraint.nodeTaintsPolicy === 'Honor' && { tolerations: pod.tolerations }),
    },
  };
}

const affinityRule = (
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): TopologyRule => ({
  kind: 'affinity',
  topologyKey: term.topologyKey,
  namespaces: namespacesOf(term, pod, namespaces),
  selector: term.selector,
  maxSkew: Number.POSITIVE_INFINITY,
  minDomains: 0,
  filter: {},
});

const antiAffinityRule = (
  term: PodAffinityTerm,
  pod: Pod,
  namespaces: readonly Namespace[],
): TopologyRule => ({ ...affinityRule(term, pod, namespaces), kind: 'antiAffinity' });

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

function textOf(rule: TopologyRule): string {
  const { kind, topologyKey, namespaces, selector, maxSkew, minDomains, filter } = rule;
  return JSON.stringify([
    kind,
    topologyKey,
    namespaces === 'all' ? namespaces : [...namespaces].sort(compareText),
    selector && textOfSelector(selector),
    maxSkew,
    minDomains,
    filter.alternatives?.map(textOfAsk),
    filter.tolerations?.map(({ key, operator, value, effect }) => [key, operator, value, effect]),
  ]);
}

const textOfSelector = ({ matchLabels, matchExpressions }: LabelSelector): string =>
  JSON.stringify([
    Object.entries(matchLabels).sort(([a], [b]) => compareText(a, b)),
    [...new Set(matchExpressions.map(textOfExpression))].sort(compareText),
  ]);

const textOfExpression = ({
  key,
  operator,
  values,
}: LabelSelector['matchExpressions'][number]): string =>
  JSON.stringify([key, operator, [...values].sort(compareText)]);

const textOfAsk = ({ requirements, present }: LabelAsk): string =>
  JSON.stringify([
    [...requirements.values()]
      .map(({ key, complement, values, gte, lte }) =>
        JSON.stringify([key, complement, [...values].sort(compareText), String(gte), String(lte)]),
      )
      .sort(compareText),
    [...present.keys()].sort(compareText),
  ]);

/** Pods of equal text own the same rules. */
const ownershipText = (pod: Pod): string =>
  JSON.stringify([
    pod.meta.namespace,
    pod.topologySpread,
    pod.podAffinity.required,
    pod.podAntiAffinity.required,
    pod.topologySpread.length > 0 && [pod.nodeSelector, pod.nodeAffinity.required, pod.tolerations],
  ]);

/** Pods of equal text are selected by the same rules. Separators cannot stand in a label. */
function labelsText({ meta }: Pod): string {
  let text = meta.namespace;
  for (const key of Object.keys(meta.labels).sort()) text += `\n${key}=${meta.labels[key]}`;
  return text;
}
