import { amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { expressionProblem } from '#lib/ec2/kubelet/kubelet-expressions.ts';
import {
  kubeletExpressions,
  kubeletProblems,
  unsupportedSettings,
} from '#lib/ec2/kubelet/kubelet-validation.ts';
import { tagsProblem } from '#lib/ec2/launch/tags.ts';
import { userDataProblem } from '#lib/ec2/user-data/user-data.ts';
import { type ConditionChange, conditionOf } from '#lib/model/conditions.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { FoundSubnet, NodeClassFacts } from '#lib/model/node-class-facts.ts';
import type { Condition } from '#lib/model/object.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import { RESOLVED_CONDITIONS } from './node-class-parts.ts';

/** Whether a NodeClass can be launched with. */
export const VALIDATION_SUCCEEDED = 'ValidationSucceeded';

type Verdict = Pick<ConditionChange, 'status' | 'reason' | 'message'>;

/** What a NodeClass is judged by. */
interface Evidence {
  readonly facts: NodeClassFacts;
  /** Of its parts, as this look leaves them. */
  readonly conditions: readonly Condition[];
  readonly settings: ClusterSettings;
  readonly instanceTypes?: readonly InstanceType[];
}

type Judge = (nodeClass: NodeClass, evidence: Evidence) => Verdict | undefined;

const failed = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });

const serviceNetwork: Judge = (nodeClass, { settings }) =>
  settings.serviceCidr === '' && amiFamilyOf(nodeClass).name === 'AL2023'
    ? failed('ClusterCIDRResolutionFailed', 'The service network of the cluster is not known')
    : undefined;

const kubelet: Judge = (nodeClass, { settings }) => {
  const { kubelet: understood } = nodeClass.spec;
  if (understood === undefined) return undefined;
  const written: Readonly<Record<string, unknown>> = { ...Object(nodeClass.wire.kubelet) };
  const problems = kubeletProblems(understood, written);
  if (problems.length > 0) return failed('InvalidKubeletConfiguration', problems.join('; '));
  const expressions = kubeletExpressions(understood);
  if (expressions.length > 0 && settings.kubeletExpressions !== true) {
    const fields = expressions.map(({ field }) => field).join(', ');
    return failed('KubeletExpressionsDisabled', `Expressions are switched off: ${fields}`);
  }
  const invalid = expressions.flatMap(({ field, expression }) => {
    const problem = expressionProblem(expression);
    return problem === undefined ? [] : [`${field}: ${problem}`];
  });
  if (invalid.length > 0) return failed('KubeletExpressionInvalid', invalid.join('; '));
  const unsupported = unsupportedSettings(amiFamilyOf(nodeClass), written);
  if (unsupported.length === 0) return undefined;
  return failed('UnsupportedKubeletConfiguration', unsupported.join('; '));
};

/** Capacity reservations may be missing: they are never what a launch depends on. */
const DEPENDENCIES = [
  RESOLVED_CONDITIONS.amis,
  RESOLVED_CONDITIONS.instanceProfile,
  RESOLVED_CONDITIONS.securityGroups,
  RESOLVED_CONDITIONS.subnets,
  RESOLVED_CONDITIONS.placementGroup,
];

const dependencies: Judge = (_nodeClass, { conditions }) => {
  const statuses = DEPENDENCIES.map((type) => conditionOf(conditions, type)?.status ?? 'Unknown');
  const reason = 'DependenciesNotReady';
  const message = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution';
  if (statuses.includes('False')) return { status: 'False', reason, message };
  return statuses.includes('Unknown') ? { status: 'Unknown', reason, message } : undefined;
};

const evaluation: Judge = (_nodeClass, { facts }) =>
  facts.kubeletProblem === undefined
    ? undefined
    : failed('KubeletExpressionEvaluationFailed', facts.kubeletProblem);

const tags: Judge = ({ spec }) => {
  const problem = tagsProblem(spec.tags);
  return problem === undefined ? undefined : failed('TagValidationFailed', problem);
};

/** A kubelet that keeps everything for itself on some types only rules these out. */
const reserves: Judge = (_nodeClass, { instanceTypes = [] }) => {
  const isLeft = ({ allocatable }: InstanceType): boolean =>
    (allocatable.cpu ?? 0) > 0 && (allocatable.memory ?? 0) > 0 && (allocatable.pods ?? 0) > 0;
  if (instanceTypes.length === 0 || instanceTypes.some(isLeft)) return undefined;
  const message = `Kubelet leaves nothing for pods on any of ${instanceTypes.length} instance types`;
  return failed('KubeletReservesTooMuch', message);
};

const userData: Judge = (nodeClass, { settings }) => {
  const problem = userDataProblem(nodeClass, settings);
  if (problem === undefined) return undefined;
  const reason = problem.startsWith('comes to') ? 'UserDataSizeLimitExceeded' : 'InvalidUserData';
  return failed(reason, `The user data ${problem}`);
};

/** EC2 launches nothing into a subnet with a security group that another network has. */
const networks: Judge = (_nodeClass, { facts: { subnets, securityGroups } }) => {
  if ('failed' in subnets || 'failed' in securityGroups) return undefined;
  const elsewhere =
    (vpcIds: readonly string[]) =>
    ({ vpcId }: FoundSubnet) =>
      vpcId !== undefined && !vpcIds.includes(vpcId);
  for (const { id, vpcIds } of securityGroups) {
    const subnet = vpcIds && subnets.find(elsewhere(vpcIds));
    if (subnet === undefined) continue;
    const message = `Security group ${id} is of ${vpcIds?.join(', ')}, subnet ${subnet.id} of ${subnet.vpcId}`;
    return failed('SecurityGroupSubnetVPCMismatch', message);
  }
  return undefined;
};

const namedProfile: Judge = ({ spec }, { facts: { instanceProfiles } }) => {
  const { instanceProfile } = spec;
  if (instanceProfile === undefined || 'failed' in instanceProfiles) return undefined;
  if (instanceProfiles.some(({ name }) => name === instanceProfile)) return undefined;
  return failed('InstanceProfileNotFound', `There is no instance profile ${instanceProfile}`);
};

const JUDGES: readonly Judge[] = [
  serviceNetwork,
  kubelet,
  dependencies,
  evaluation,
  tags,
  reserves,
  userData,
  networks,
  namedProfile,
];

/** What a NodeClass says by itself, whatever AWS has of what it selects. */
const OWN_JUDGES: readonly Judge[] = [serviceNetwork, kubelet, tags, reserves, userData];

/**
 * The first thing that is wrong with what a NodeClass says by itself, as a reason and a sentence;
 * undefined where nothing is. What AWS has of what it selects is not looked at.
 */
export function ownProblem(
  nodeClass: NodeClass,
  context: Pick<Evidence, 'settings' | 'instanceTypes'>,
): { readonly reason: string; readonly message: string } | undefined {
  const facts: NodeClassFacts = {
    nodeClass: nodeClass.meta.name,
    subnets: [],
    securityGroups: [],
    images: [],
    instanceProfiles: [],
  };
  for (const judge of OWN_JUDGES) {
    const verdict = judge(nodeClass, { ...context, facts, conditions: [] });
    if (verdict !== undefined)
      return { reason: verdict.reason ?? '', message: verdict.message ?? '' };
  }
  return undefined;
}

/**
 * Whether a NodeClass can be launched with, as a condition: the first thing that is wrong with
 * it, or that what it selects is not known yet. EC2 is not asked to rehearse a launch: what a dry
 * run would find is looked at here, and what only EC2 knows (permissions) the first launch tells.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass/validation.go; order and reasons.
 */
export function validation(nodeClass: NodeClass, evidence: Evidence): Verdict {
  for (const judge of JUDGES) {
    const verdict = judge(nodeClass, evidence);
    if (verdict !== undefined) return verdict;
  }
  return { status: 'True' };
}
