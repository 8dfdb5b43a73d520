import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { NodeSelectorTerm, Pod, TopologySpreadConstraint } from '#lib/model/pod.ts';
import { requirementProblems } from '#lib/model/validation/requirement-validation.ts';
import { selectorProblems } from '#lib/model/validation/selector-validation.ts';
import { isEmptyTerm } from '../pods/ask.ts';
import type { VolumeObjects } from '../volumes/volume-lookup.ts';
import { volumeProblem } from '../volumes/volume-validation.ts';

/**
 * Why a pending pod is not for Joinery to place at all, or undefined: it opts out, asks for
 * something that no node may be made for, or has a volume that cannot be attached anywhere yet. All
 * that is wrong is said.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go, Validate; the messages are its own.
 */
export function ineligibility(pod: Pod, objects: VolumeObjects): Rejection | undefined {
  const own = [
    ...(optsOut(pod) ? [OPTED_OUT] : []),
    ...Object.entries(pod.nodeSelector).flatMap(([key, value]) =>
      requirementProblems({ key, operator: 'In', values: [value] }),
    ),
    ...affinityProblems(pod.nodeAffinity.required),
    ...neighbourProblems(pod),
  ];
  const ofVolumes = volumeProblem(pod, objects);
  if (ofVolumes === undefined) {
    return own.length === 0 ? undefined : reject('eligibility', own.join('; '));
  }
  return own.length === 0
    ? reject('volumes', ofVolumes)
    : reject('eligibility', [...own, ofVolumes].join('; '));
}

const OPTED_OUT = `configured to not run on a Karpenter provisioned node (requirement=${NODEPOOL} DoesNotExist)`;

function affinityProblems(required: readonly NodeSelectorTerm[]): readonly string[] {
  const holdsNowhere = required.length > 0 && required.every(isEmptyTerm);
  return holdsNowhere ? [HOLDS_NOWHERE] : required.flatMap(termProblems);
}

const HOLDS_NOWHERE =
  'its required node affinity holds for no node: its terms are all empty, and an empty term selects nothing';

const termProblems = ({ matchExpressions, hasMatchFields }: NodeSelectorTerm): string[] => [
  ...(hasMatchFields ? ['node selector term with matchFields is not supported'] : []),
  ...matchExpressions.flatMap((line) => [...requirementProblems(line), ...operandProblems(line)]),
];

/**
 * What only kube-scheduler minds, which takes a term with such a line for one that holds nowhere.
 *
 * Source: kubernetes v1.36, apimachinery, labels/selector.go, NewRequirement.
 */
function operandProblems({ key, operator, values = [] }: RequirementSpec): string[] {
  const who = `key ${key} with operator ${operator}`;
  const takesNone = operator === 'Exists' || operator === 'DoesNotExist';
  if (takesNone && values.length > 0) return [`${who} must have no values`];
  return operator === 'NotIn' && values.length === 0 ? [`${who} must have a value defined`] : [];
}

/**
 * What cannot be read in the selectors by which a pod chooses its neighbours. Upstream takes such a
 * selector for one that selects nothing, and places the pod as if it had not asked.
 */
function neighbourProblems(pod: Pod): readonly string[] {
  const told = (what: string, selector: LabelSelector | undefined): string[] =>
    selectorProblems(selector).map((problem) => `${what} cannot be read, ${problem}`);
  const affinities = [
    { terms: pod.podAffinity.required, what: 'pod affinity' },
    { terms: pod.podAntiAffinity.required, what: 'pod anti-affinity' },
  ];
  return [
    ...pod.topologySpread.flatMap((spread) => [
      ...told(`the selector of its topology spread over ${spread.topologyKey}`, spread.selector),
      ...countProblems(spread),
    ]),
    ...affinities.flatMap(({ terms, what }) =>
      terms.flatMap(({ topologyKey, selector, namespaceSelector }) => [
        ...told(`the selector of its ${what} over ${topologyKey}`, selector),
        ...told(`the namespace selector of its ${what} over ${topologyKey}`, namespaceSelector),
      ]),
    ),
  ];
}

/** Source: kubernetes v1.36, apis/core/validation/validation.go, validateTopologySpreadConstraints. */
const countProblems = ({ topologyKey, maxSkew, minDomains = 1 }: TopologySpreadConstraint) =>
  Object.entries({ maxSkew, minDomains })
    .filter(([, count]) => count < 1)
    .map(([name, count]) => {
      const what = `its topology spread over ${topologyKey}`;
      return `${what} has a ${name} of ${count}, expected 1 or more`;
    });

/**
 * Whether a pod is not for Joinery to place, by its own word: it wants no NodePool's node. Only the
 * heaviest wish and the first alternative are looked at. Upstream also takes demands on the NodePool
 * that contradict each other for such a word; here they are told as what they are.
 */
export function optsOut(pod: Pod): boolean {
  const [heaviest] = [...pod.nodeAffinity.preferred].sort((a, b) => b.weight - a.weight);
  const lines: readonly RequirementSpec[] = [
    ...(heaviest?.term.matchExpressions ?? []),
    ...(pod.nodeAffinity.required[0]?.matchExpressions ?? []),
  ];
  return lines.some(({ key, operator }) => key === NODEPOOL && operator === 'DoesNotExist');
}
