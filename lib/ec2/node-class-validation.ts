import { type ConditionChange, conditionOf } from '#lib/model/conditions.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { Condition } from '#lib/model/object.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { kubeletExpressions, kubeletProblems } from './kubelet-validation.ts';
import { notSupported } from './node-class-support.ts';
import { restrictedTag } from './tags.ts';

/** Whether a NodeClass can be launched with. */
export const VALIDATION_SUCCEEDED = 'ValidationSucceeded';

type Verdict = Pick<ConditionChange, 'status' | 'reason' | 'message'>;

/**
 * Whether a NodeClass can be launched with, as a condition: the first thing that is wrong with
 * it, or that what it selects is not known yet. What only EC2 could tell (a dry run's refusal) is
 * not asked: the first launch tells it.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/validation.go.
 */
export function validation(
  nodeClass: NodeClass,
  dependencies: readonly string[],
  conditions: readonly Condition[],
  settings: Pick<ClusterSettings, 'serviceCidr'>,
): Verdict {
  return (
    problemOf(nodeClass, settings) ??
    pendingOf(dependencies, conditions) ??
    tagProblem(nodeClass) ?? { status: 'True' }
  );
}

const failed = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });

function problemOf(
  nodeClass: NodeClass,
  { serviceCidr }: Pick<ClusterSettings, 'serviceCidr'>,
): Verdict | undefined {
  if (serviceCidr === '') {
    return failed('ClusterCIDRResolutionFailed', 'The service network of the cluster is not known');
  }
  const { kubelet } = nodeClass.spec;
  const written = { ...Object(nodeClass.wire.kubelet) };
  const problems = kubelet === undefined ? [] : kubeletProblems(kubelet, written);
  if (problems.length > 0) return failed('InvalidKubeletConfiguration', problems.join('; '));
  const expressions = kubelet === undefined ? [] : kubeletExpressions(kubelet, written);
  if (expressions.length > 0) {
    const fields = expressions.join(', ');
    return failed('KubeletExpressionsDisabled', `Expressions are not supported: ${fields}`);
  }
  const lacking = notSupported(nodeClass);
  return lacking === undefined
    ? undefined
    : failed('UnsupportedConfiguration', `The EC2NodeClass ${lacking}`);
}

function pendingOf(
  dependencies: readonly string[],
  conditions: readonly Condition[],
): Verdict | undefined {
  const statuses = dependencies.map((type) => conditionOf(conditions, type)?.status ?? 'Unknown');
  const reason = 'DependenciesNotReady';
  const message = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution';
  if (statuses.includes('False')) return { status: 'False', reason, message };
  return statuses.includes('Unknown') ? { status: 'Unknown', reason, message } : undefined;
}

function tagProblem({ spec }: NodeClass): Verdict | undefined {
  const tag = restrictedTag(spec.tags);
  return tag === undefined
    ? undefined
    : failed('TagValidationFailed', `The tag ${tag} is not the user's to set`);
}
