import { compareText } from '#lib/constraints/order.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import {
  agrees,
  describeRequirements,
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOf,
  specsOfRequirements,
} from '#lib/constraints/requirements.ts';
import type { Toleration } from '#lib/constraints/taints.ts';
import type { NodeSelectorTerm, Pod, Weighted } from '#lib/model/pod.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** What a pod asks of a node's labels and taints, in one of the ways in which it can be met. */
export interface Ask {
  /** The pod's own demands and those of `places` together. */
  readonly requirements: Requirements;
  /** The keys that must be there: `requirements` forget it where they exclude values as well. */
  readonly present: Requirements;
  readonly tolerations: readonly Toleration[];
  /** Where its volumes can be attached: the part that is not the pod's own. Absent: anywhere. */
  readonly places?: Requirements;
}

/**
 * The ways to satisfy a pod that give up the same wishes: one Ask for each alternative of its
 * required node affinity, in the order of the manifest.
 */
export interface AskLevel {
  readonly asks: readonly Ask[];
  /** The wishes that this level no longer tries to fulfil, for the person who reads the plan. */
  readonly givenUp: readonly string[];
}

/** Puts up with every taint that only asks to be avoided. */
const PREFER_NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

/** What decides how a pod's wishes count: the policy, and whether any taint is only a wish. */
export interface WishRules {
  readonly preferencePolicy: ClusterSettings['preferencePolicy'];
  readonly someTaintsArePreferences: boolean;
}

/**
 * What a pod asks, most wishful level first; the last one asks only what it must. Of its
 * preferred node affinity one term counts at a time, the heaviest first; a PreferNoSchedule taint
 * is put up with only when all else is given up. Where its volumes can be, one of `places`, is
 * never given up: each way to meet the pod's own demands is asked in each place.
 *
 * Source: karpenter v1.14, scheduling/requirements.go, NewPodRequirements, and
 * provisioning/scheduling/preferences.go, Relax. There an alternative that was passed over is
 * never tried again with fewer wishes; here each level tries them all.
 */
export function askLevels(
  pod: Pod,
  rules: WishRules,
  places: readonly LabelAsk[] = [asksNothing],
): readonly AskLevel[] {
  const required = requiredLines(pod);
  const wishes = rules.preferencePolicy === 'Ignore' ? [] : heaviestFirst(pod);
  const levels: AskLevel[] = [];
  const givenUp: string[] = [];
  for (const { term } of wishes) {
    const wished = required.map((lines) => [...lines, ...term.matchExpressions]);
    levels.push({ asks: asksOf(wished, pod.tolerations, places), givenUp: [...givenUp] });
    const wish = describeRequirements(requirementsOf(term.matchExpressions));
    givenUp.push(`its preferred node affinity ${wish}`);
  }
  levels.push({ asks: asksOf(required, pod.tolerations, places), givenUp: [...givenUp] });
  if (rules.someTaintsArePreferences) {
    levels.push({
      asks: asksOf(required, [...pod.tolerations, PREFER_NO_SCHEDULE], places),
      givenUp: [...givenUp, 'regard to a PreferNoSchedule taint'],
    });
  }
  return levels;
}

const asksOf = (
  alternatives: readonly (readonly RequirementSpec[])[],
  tolerations: readonly Toleration[],
  places: readonly LabelAsk[],
): readonly Ask[] =>
  labelAsksOf(alternatives).flatMap((asked) =>
    places.flatMap((place) => {
      const both = bothAsked(asked, place);
      if (!both) return [];
      const isAnywhere = place.requirements.size === 0;
      return [{ ...both, tolerations, ...(!isAnywhere && { places: place.requirements }) }];
    }),
  );

/**
 * That each key is there of which a line says so. The intersection of the lines does not tell:
 * Exists beside NotIn reads NotIn, which a missing label satisfies.
 *
 * Source: kubernetes v1.36, component-helpers/scheduling/corev1/nodeaffinity, where each line is
 * judged by itself. Karpenter v1.14 goes by the intersection and makes nodes that do not serve.
 */
export const presentIn = (lines: readonly RequirementSpec[]): Requirements =>
  requirementsOf(
    lines
      .filter(({ operator }) => operator !== 'NotIn' && operator !== 'DoesNotExist')
      .map(({ key }) => ({ key, operator: 'Exists' })),
  );

/**
 * Whether no node can satisfy all lines: a key must be there, but no value is left for it. Their
 * intersection alone does not tell, since it reads DoesNotExist, which a missing label satisfies.
 */
export const isContradiction = (lines: readonly RequirementSpec[]): boolean =>
  !agrees(requirementsOf(lines), presentIn(lines));

/**
 * Whether a term asks for nothing. Such a term selects no node, required or preferred.
 *
 * Source: kubernetes v1.36, component-helpers/scheduling/corev1/nodeaffinity,
 * isEmptyNodeSelectorTerm. In karpenter v1.14 it selects every node.
 */
export const isEmptyTerm = ({ matchExpressions, hasMatchFields }: NodeSelectorTerm): boolean =>
  matchExpressions.length === 0 && !hasMatchFields;

/**
 * Each way to meet a pod's node selector and required node affinity, as lines; none where every
 * term of it is empty.
 */
function requiredLines(pod: Pod): readonly (readonly RequirementSpec[])[] {
  const selector = Object.entries(pod.nodeSelector).map(
    ([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }),
  );
  const terms = pod.nodeAffinity.required;
  if (terms.length === 0) return [selector];
  return terms
    .filter((term) => !isEmptyTerm(term))
    .map((term) => [...selector, ...term.matchExpressions]);
}

/** What is asked of labels: see Ask. */
export type LabelAsk = Pick<Ask, 'requirements' | 'present'>;

/** Each way to meet a pod's node selector and required node affinity that some node can meet. */
export const requiredAlternatives = (pod: Pod): readonly LabelAsk[] =>
  labelAsksOf(requiredLines(pod));

const labelAsksOf = (alternatives: readonly (readonly RequirementSpec[])[]): readonly LabelAsk[] =>
  alternatives.flatMap((lines) => labelAskOf(lines) ?? []);

/** Asks nothing of any label. */
export const asksNothing: LabelAsk = { requirements: NO_REQUIREMENTS, present: NO_REQUIREMENTS };

/** What `lines` ask together, or undefined where no node can satisfy them all. */
export const labelAskOf = (lines: readonly RequirementSpec[]): LabelAsk | undefined =>
  isContradiction(lines)
    ? undefined
    : { requirements: requirementsOf(lines), present: presentIn(lines) };

/** What `a` and `b` ask together, or undefined where no node can satisfy both. */
export function bothAsked(a: LabelAsk, b: LabelAsk): LabelAsk | undefined {
  if (b.requirements.size === 0) return a;
  const requirements = intersectRequirements(a.requirements, b.requirements);
  const present = intersectRequirements(a.present, b.present);
  return agrees(requirements, present) ? { requirements, present } : undefined;
}

/** What is asked, as one text: asks of equal text are the same. */
export const labelAskKey = ({ requirements, present }: LabelAsk): string =>
  JSON.stringify([specsOfRequirements(requirements), [...present.keys()].sort(compareText)]);

/** The wishes that weigh something and ask for something. Equal weights keep the manifest's order. */
const heaviestFirst = (pod: Pod): readonly Weighted<NodeSelectorTerm>[] =>
  pod.nodeAffinity.preferred
    .filter(({ weight, term }) => weight !== 0 && !isEmptyTerm(term))
    .sort((a, b) => b.weight - a.weight);

const asksNothingOfNodes = ({ nodeSelector, nodeAffinity, tolerations }: Pod): boolean => {
  if (tolerations.length > 0) return false;
  if (nodeAffinity.required.length > 0 || nodeAffinity.preferred.length > 0) return false;
  for (const _ in nodeSelector) return false;
  return true;
};

/** What of a pod its Asks are made of, as one text: pods of equal text share their Asks. */
export function askKey(pod: Pod): string {
  if (asksNothingOfNodes(pod)) return '';
  const terms = (term: NodeSelectorTerm): readonly RequirementSpec[] => term.matchExpressions;
  return JSON.stringify([
    Object.entries(pod.nodeSelector).sort(([a], [b]) => (a < b ? -1 : 1)),
    pod.nodeAffinity.required.map(terms),
    pod.nodeAffinity.preferred.map(({ weight, term }) => [weight, terms(term)]),
    pod.tolerations.map(({ key, operator, value, effect }) => [key, operator, value, effect]),
  ]);
}
