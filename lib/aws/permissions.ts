import type { AwsOperation } from './call.ts';

/**
 * The IAM actions that each operation needs, those of what it does on the caller's behalf
 * included: a fleet runs instances, tags them and passes them the node role.
 *
 * Source: Service Authorization Reference; karpenter AWS provider v1.14, controller policies.
 */
export const PERMISSIONS: Readonly<Record<AwsOperation, readonly string[]>> = {
  AddRoleToInstanceProfile: ['iam:AddRoleToInstanceProfile', 'iam:PassRole'],
  CreateFleet: ['ec2:CreateFleet', 'ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole'],
  CreateInstanceProfile: ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
  CreateLaunchTemplate: ['ec2:CreateLaunchTemplate', 'ec2:CreateTags'],
  DescribeImages: ['ec2:DescribeImages'],
  DescribeInstances: ['ec2:DescribeInstances'],
  DescribeSecurityGroups: ['ec2:DescribeSecurityGroups'],
  DescribeSubnets: ['ec2:DescribeSubnets'],
  GetInstanceProfile: ['iam:GetInstanceProfile'],
  GetParameters: ['ssm:GetParameters'],
  SendMessage: ['sqs:SendMessage'],
  TerminateInstances: ['ec2:TerminateInstances'],
};
