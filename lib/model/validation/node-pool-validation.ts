/**
 * What Karpenter has against a NodePool that the API server took, in its own words: they become
 * the message of the condition ValidationSucceeded.
 *
 * Source: karpenter v1.14, apis/v1/nodepool_validation.go, RuntimeValidate;
 * nodeclaim_validation.go, validateTaintsField.
 */
import type { Labels } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import { usdLimitProblem } from '#lib/model/usd-limit.ts';
import { labelValueProblems, qualifiedNameProblems } from './qualified-name.ts';
import {
  type RequirementWords,
  requirementProblems,
  restrictedLabelProblem,
} from './requirement-validation.ts';

/** A taint before anything about it has been believed. */
interface TaintWords {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** The part of a NodePool that is looked at; every NodePool is one. */
export interface NodePoolWords {
  readonly template: {
    readonly labels: Labels;
    readonly taints: readonly TaintWords[];
    readonly startupTaints: readonly TaintWords[];
    readonly requirements: readonly RequirementWords[];
  };
  /** Absent where only a template is judged. */
  readonly meta?: { readonly annotations: Readonly<Record<string, string>> };
}

/** All that is wrong with a NodePool, each a sentence; empty where nothing is. */
export function nodePoolProblems({ template, meta }: NodePoolWords): readonly string[] {
  const badLimit = meta && usdLimitProblem(meta);
  return [
    ...(badLimit === undefined ? [] : [badLimit]),
    ...labelsProblems(template.labels),
    ...taintsProblems(template.taints, [], 'taints'),
    ...taintsProblems(template.startupTaints, template.taints, 'startupTaints'),
    ...template.requirements.flatMap(problemsOfRequirement),
    ...template.requirements
      .filter(({ key }) => key === NODEPOOL)
      .map(({ key }) => `invalid key: "${key}" in requirements, restricted`),
  ];
}

function problemsOfRequirement(requirement: RequirementWords): string[] {
  const problems = requirementProblems(requirement);
  if (problems.length === 0) return [];
  return [`invalid value: ${problems.join('; ')} in requirements, restricted`];
}

function labelsProblems(labels: Labels): string[] {
  return Object.keys(labels)
    .sort(compareText)
    .flatMap((key) => {
      const value = labels[key] ?? '';
      const name = `invalid key name "${key}" in labels,`;
      const restricted = restrictedLabelProblem(key);
      return [
        ...(key === NODEPOOL ? [`${name} restricted`] : []),
        ...qualifiedNameProblems(key).map((problem) => `${name} "${problem}"`),
        ...labelValueProblems(value).map(
          (problem) => `invalid value: ${value} for label[${key}], ${problem}`,
        ),
        ...(restricted === undefined ? [] : [`${name} ${restricted}`]),
      ];
    });
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute', ''];

/** Problems of `taints`, which may not repeat key and effect of each other or of `others`. */
function taintsProblems(
  taints: readonly TaintWords[],
  others: readonly TaintWords[],
  field: string,
): string[] {
  const problems: string[] = [];
  const seen = new Set(others.map(identityOf));
  for (const taint of taints) {
    if (taint.key === '') problems.push(emptyKeyProblem(problems, field));
    const words = taint.value === '' ? [taint.key] : [taint.key, taint.value];
    for (const problem of words.flatMap(qualifiedNameProblems)) {
      problems.push(`invalid value: ${problem} in ${field}`);
    }
    if (!EFFECTS.includes(taint.effect)) {
      problems.push(`invalid value: "${taint.effect}" in ${field}`);
    }
    const identity = identityOf(taint);
    if (seen.has(identity)) problems.push(`duplicate taint Key/Effect pair ${identity}`);
    seen.add(identity);
  }
  return problems;
}

const identityOf = ({ key, effect }: TaintWords): string => `${key}=${effect}`;

/** Upstream prints the problems so far where it means the key; the message is kept as it is. */
const emptyKeyProblem = (problems: readonly string[], field: string): string =>
  `invalid value: ${problems.length === 0 ? '%!w(<nil>)' : problems.join('; ')} in ${field}`;
