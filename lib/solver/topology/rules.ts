import { selects } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import { HOSTNAME } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Namespace } from '#lib/model/workload.ts';
import type { TopologyRule } from './rule.ts';
import { antiAffinityRule, requiredRules } from './rule-of.ts';
import { textOf } from './rule-text.ts';

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

/** What rules are made of. */
export interface RuleProblem {
  /** The pods to place. */
  readonly batch: readonly Pod[];
  /** The pods that run and are not to be placed. */
  readonly running: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  /** What a pod would like, as rules to be kept. Pods are asked one by one. */
  readonly wishesOf?: (pod: Pod) => readonly TopologyRule[];
}

/**
 * The rules of `batch`, the pods to place, and of those that run already. Equal rules are one.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, Update and
 * updateInverseAntiAffinity. There minDomains does not tell rules apart, and what differs only in
 * it shares the first one's.
 */
export function ruleBookOf({ batch, running, namespaces, wishesOf }: RuleProblem): RuleBook {
  const known = new Map<string, TopologyRule>();
  const intern = (rule: TopologyRule): TopologyRule => {
    const text = textOf(rule);
    const same = known.get(text);
    if (same) return same;
    known.set(text, rule);
    return rule;
  };
  const required = new Map<string, readonly TopologyRule[]>();
  const requiredBy = (pod: Pod): readonly TopologyRule[] => {
    if (!hasRules(pod)) return NONE;
    const text = ownershipText(pod);
    const rules = required.get(text) ?? requiredRules(pod, namespaces).map(intern);
    required.set(text, rules);
    return rules;
  };
  const ownedBy = remembered((pod: Pod): readonly TopologyRule[] => {
    const wished = wishesOf?.(pod) ?? NONE;
    if (wished.length === 0) return requiredBy(pod);
    return [...new Set([...requiredBy(pod), ...wished.map(intern)])];
  });
  const imposedBy = (pod: Pod): readonly TopologyRule[] =>
    pod.podAntiAffinity.required.length === 0
      ? NONE
      : pod.podAntiAffinity.required.map((term) => intern(antiAffinityRule(term, pod, namespaces)));
  for (const pod of batch) ownedBy(pod);
  for (const pod of running) imposedBy(pod);
  const inOrder = [...known].sort(([a], [b]) => compareText(a, b)).map(([, rule]) => rule);
  const numbers = new Map(inOrder.map((rule, at) => [rule, at]));
  const numberOf = (rule: TopologyRule): number => numbers.get(rule) ?? -1;
  const candidatesFor = indexOf(inOrder);
  const selection = new Map<string, readonly TopologyRule[]>();
  const selecting = remembered((pod: Pod): readonly TopologyRule[] => {
    if (inOrder.length === 0) return NONE;
    const text = labelsText(pod);
    const before = selection.get(text);
    if (before) return before;
    const rules = candidatesFor(pod)
      .filter((rule) => isSelected(rule, pod))
      .sort((a, b) => numberOf(a) - numberOf(b));
    selection.set(text, rules);
    return rules;
  });
  const standings = new Map<string, Standing>();
  const standingAmong: StandingAmong = (owns, selected) => {
    if (owns.length === 0 && selected.length === 0) return NO_STANDING;
    const text = `${owns.map(numberOf).join()}|${selected.map(numberOf).join()}`;
    const before = standings.get(text);
    if (before) return before;
    const standing = standingOn(numberOf, new Set(owns), new Set(selected));
    standings.set(text, standing);
    return standing;
  };
  const standingOfLists = rememberedPairs(standingAmong);
  const standingOf = (pod: Pod): Standing => standingOfLists(ownedBy(pod), selecting(pod));
  const touched = new Set<TopologyRule>();
  for (const pod of batch) {
    for (const rule of ownedBy(pod)) touched.add(rule);
    for (const rule of selecting(pod)) touched.add(rule);
  }
  return {
    standingOf,
    imposedBy,
    selecting,
    rules: inOrder.filter((rule) => touched.has(rule)),
  };
}

type StandingAmong = (owns: readonly TopologyRule[], selected: readonly TopologyRule[]) => Standing;

/** Answers about lists, mostly the very same ones: pods of one workload share them. */
function rememberedPairs(answer: StandingAmong): StandingAmong {
  const known = new Map<readonly TopologyRule[], Map<readonly TopologyRule[], Standing>>();
  return (owns, selected) => {
    const ofOwned = known.get(owns) ?? new Map<readonly TopologyRule[], Standing>();
    known.set(owns, ofOwned);
    const standing = ofOwned.get(selected) ?? answer(owns, selected);
    ofOwned.set(selected, standing);
    return standing;
  };
}

/** Answers about pods that are asked for more than once. */
function remembered<Answer>(answer: (pod: Pod) => Answer): (pod: Pod) => Answer {
  const known = new Map<Pod, Answer>();
  return (pod) => {
    const before = known.get(pod);
    if (before !== undefined) return before;
    const fresh = answer(pod);
    known.set(pod, fresh);
    return fresh;
  };
}

const NONE: readonly TopologyRule[] = [];

const NO_STANDING: Standing = { byNode: [], byDomain: [], byNodeText: '', byDomainText: '' };

/** By the labels of a pod: every rule that may select it, and few others, in no order. */
function indexOf(rules: readonly TopologyRule[]): (pod: Pod) => readonly TopologyRule[] {
  const byLabel = new Map<string, TopologyRule[]>();
  const unlabelled: TopologyRule[] = [];
  for (const rule of rules) {
    const [label] = Object.entries(rule.whom[0]?.selector?.matchLabels ?? {});
    const text = label?.join('=');
    const others = text === undefined ? unlabelled : (byLabel.get(text) ?? []);
    others.push(rule);
    if (text !== undefined) byLabel.set(text, others);
  }
  return ({ meta }) => [
    ...unlabelled,
    ...Object.entries(meta.labels).flatMap((label) => byLabel.get(label.join('=')) ?? []),
  ];
}

function standingOn(
  numberOf: (rule: TopologyRule) => number,
  owns: ReadonlySet<TopologyRule>,
  selected: ReadonlySet<TopologyRule>,
): Standing {
  const parts = [...new Set([...owns, ...selected])]
    .map((rule) => ({
      number: numberOf(rule),
      part: { rule, owns: owns.has(rule), selected: selected.has(rule) },
    }))
    .sort((a, b) => a.number - b.number);
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
export const isSelected = ({ whom }: TopologyRule, { meta }: Pod): boolean =>
  whom.every(
    ({ namespaces, selector }) =>
      (namespaces === 'all' || namespaces.has(meta.namespace)) && selects(selector, meta.labels),
  );

const hasRules = ({ topologySpread, podAffinity, podAntiAffinity }: Pod): boolean =>
  topologySpread.length > 0 ||
  podAffinity.required.length > 0 ||
  podAntiAffinity.required.length > 0;

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
export function labelsText({ meta }: Pod): string {
  let text = meta.namespace;
  for (const key of Object.keys(meta.labels).sort()) text += `\n${key}=${meta.labels[key]}`;
  return text;
}
