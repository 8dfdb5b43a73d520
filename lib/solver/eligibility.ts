import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import { operatorOf, type RequirementSpec } from '#lib/constraints/requirement.ts';
import { intersectRequirements, requirementsOf } from '#lib/constraints/requirements.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import { requirementProblems } from '#lib/model/requirement-validation.ts';
import { requiredAlternatives } from './ask.ts';

/**
 * Why a pending pod is not for Joinery to place at all, or undefined: it opts out, or asks for
 * something that no node may be made for.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go, Validate; the messages are its own.
 */
export function ineligibility(pod: Pod): Rejection | undefined {
  if (optsOut(pod)) {
    return reject(
      'eligibility',
      `configured to not run on a Karpenter provisioned node (requirement=${NODEPOOL} DoesNotExist)`,
    );
  }
  const problems = [
    ...Object.entries(pod.nodeSelector).flatMap(([key, value]) =>
      requirementProblems({ key, operator: 'In', values: [value] }),
    ),
    ...pod.nodeAffinity.required.flatMap(({ matchExpressions, hasMatchFields }) => [
      ...(hasMatchFields ? ['node selector term with matchFields is not supported'] : []),
      ...matchExpressions.flatMap((spec: RequirementSpec) => requirementProblems(spec)),
    ]),
  ];
  return problems.length === 0 ? undefined : reject('eligibility', problems.join('; '));
}

/**
 * Whether a pod is not for Joinery to place, by its own word. Only the heaviest wish and the first
 * alternative are looked at.
 */
export function optsOut(pod: Pod): boolean {
  const [heaviest] = [...pod.nodeAffinity.preferred].sort((a, b) => b.weight - a.weight);
  const [required] = requiredAlternatives(pod);
  const wished = requirementsOf(heaviest?.term.matchExpressions ?? []);
  const asked = required && intersectRequirements(required.requirements, wished).get(NODEPOOL);
  return asked !== undefined && operatorOf(asked) === 'DoesNotExist';
}
