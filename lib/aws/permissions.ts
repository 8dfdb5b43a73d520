/**
 * The IAM actions that each operation needs, those of what it does on the caller's behalf
 * included: a fleet runs instances, tags them and passes them the node role.
 *
 * Source: Service Authorization Reference; karpenter AWS provider v1.14, controller policies.
 */
export const PERMISSIONS = {
  AddRoleToInstanceProfile: ['iam:AddRoleToInstanceProfile', 'iam:PassRole'],
  CreateAccessEntry: ['eks:CreateAccessEntry'],
  CreateFleet: ['ec2:CreateFleet', 'ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole'],
  CreateInstanceProfile: ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
  CreateLaunchTemplate: ['ec2:CreateLaunchTemplate', 'ec2:CreateTags'],
  CreateTags: ['ec2:CreateTags'],
  DeleteInstanceProfile: ['iam:DeleteInstanceProfile'],
  DeleteLaunchTemplate: ['ec2:DeleteLaunchTemplate'],
  DescribeAccessEntry: ['eks:DescribeAccessEntry'],
  DescribeAvailabilityZones: ['ec2:DescribeAvailabilityZones'],
  DescribeCapacityReservations: ['ec2:DescribeCapacityReservations'],
  DescribeCluster: ['eks:DescribeCluster'],
  DescribeImages: ['ec2:DescribeImages'],
  DescribeInstanceStatus: ['ec2:DescribeInstanceStatus'],
  DescribeInstanceTypeOfferings: ['ec2:DescribeInstanceTypeOfferings'],
  DescribeInstanceTypes: ['ec2:DescribeInstanceTypes'],
  DescribeInstances: ['ec2:DescribeInstances'],
  DescribeLaunchTemplates: ['ec2:DescribeLaunchTemplates'],
  DescribePlacementGroups: ['ec2:DescribePlacementGroups'],
  DescribeSecurityGroupVpcAssociations: ['ec2:DescribeSecurityGroupVpcAssociations'],
  DescribeSecurityGroups: ['ec2:DescribeSecurityGroups'],
  DescribeSpotPriceHistory: ['ec2:DescribeSpotPriceHistory'],
  DescribeSubnets: ['ec2:DescribeSubnets'],
  GetInstanceProfile: ['iam:GetInstanceProfile'],
  GetManagedResource: ['arc-zonal-shift:GetManagedResource'],
  GetParameters: ['ssm:GetParameters'],
  GetProducts: ['pricing:GetProducts'],
  ListInstanceProfiles: ['iam:ListInstanceProfiles'],
  PutEvents: ['events:PutEvents'],
  RemoveRoleFromInstanceProfile: ['iam:RemoveRoleFromInstanceProfile'],
  SendMessage: ['sqs:SendMessage'],
  TerminateInstances: ['ec2:TerminateInstances'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
