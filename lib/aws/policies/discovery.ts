import { allow, type PolicyGroup } from './statement.ts';

/**
 * What EC2 sells and what NodeClasses select, in this region: nothing here changes anything, and
 * EC2 takes no narrower resource for these calls.
 *
 * Source: karpenter AWS provider v1.14, CloudFormation, ResourceDiscoveryPolicy.
 */
export const discoveryPolicy: PolicyGroup = ({ partition, region }) => [
  allow(
    'DescribeTheRegion',
    [
      'ec2:DescribeAvailabilityZones',
      'ec2:DescribeCapacityReservations',
      'ec2:DescribeImages',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceStatus',
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeLaunchTemplates',
      'ec2:DescribePlacementGroups',
      'ec2:DescribeSecurityGroups',
      'ec2:DescribeSecurityGroupVpcAssociations',
      'ec2:DescribeSpotPriceHistory',
      'ec2:DescribeSubnets',
    ],
    ['*'],
    { StringEquals: { 'aws:RequestedRegion': region } },
  ),
  allow(
    'ReadAwsImageParameters',
    ['ssm:GetParameters'],
    [`arn:${partition}:ssm:${region}::parameter/aws/service/*`],
  ),
  allow('ReadThePriceList', ['pricing:GetProducts'], ['*']),
];
