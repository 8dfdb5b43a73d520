import { allow, type PolicyGroup, type PolicyPlace } from './statement.ts';

const clusterArn = ({ partition, region, accountId, clusterName }: PolicyPlace): string =>
  `arn:${partition}:eks:${region}:${accountId}:cluster/${clusterName}`;

/**
 * Where the cluster's API server is, and how a node joins it.
 *
 * Source: karpenter AWS provider v1.14, CloudFormation, EKSIntegrationPolicy.
 */
export const clusterPolicy: PolicyGroup = (place) => [
  allow('FindTheCluster', ['eks:DescribeCluster'], [clusterArn(place)]),
];

/**
 * Which zones traffic is shifted away from.
 *
 * Source: karpenter AWS provider v1.14, CloudFormation, ZonalShiftPolicy.
 */
export const zonalShiftPolicy: PolicyGroup = (place) => [
  allow('SeeZonalShifts', ['arc-zonal-shift:GetManagedResource'], ['*'], {
    StringEquals: { 'arc-zonal-shift:ResourceIdentifier': clusterArn(place) },
  }),
];
