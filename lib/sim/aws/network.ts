import type { Account, Operations, SecurityGroup, Subnet, Zone } from './account.ts';
import { describeById, describePage } from './describe.ts';
import { awsError } from './error.ts';
import { describeTags, type Fields, optionalTexts, type Tags } from './request.ts';

const DIRECTIONS: Readonly<Record<string, string>> = {
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
  central: 'c',
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
};

/**
 * The zones of a region by name, with ids numbered in the order of their names:
 * us-east-1a is use1-az1. (A real account's letters are dealt out at random.)
 */
export function zonesOf(region: string, names: readonly string[]): readonly Zone[] {
  const [area = '', direction = '', digit = ''] = region.split('-');
  const prefix = `${area}${DIRECTIONS[direction] ?? direction}${digit}`;
  return [...new Set(names)]
    .sort()
    .map((name, index) => ({ name, id: `${prefix}-az${index + 1}` }));
}

/** A private subnet in each zone and one security group for the nodes, all tagged with `tags`. */
export function privateNetwork(
  zones: readonly Zone[],
  tags: Tags,
): { readonly subnets: readonly Subnet[]; readonly securityGroups: readonly SecurityGroup[] } {
  return {
    subnets: zones.map((zone, index) => ({
      id: `subnet-0${zone.id.replaceAll('-', '')}`,
      zone: zone.name,
      cidr: `10.${index}.0.0/18`,
      addresses: 2 ** 14 - 5,
      tags: { Name: `private-${zone.name}`, ...tags },
    })),
    securityGroups: [{ id: 'sg-0nodes', name: 'nodes', tags: { Name: 'nodes', ...tags } }],
  };
}

/** Addresses left in `subnet`: each instance that is not terminated holds one, pods hold none. */
export const freeAddresses = (account: Account, subnet: Subnet): number =>
  Math.max(0, subnet.addresses - (account.addressesTaken.get(subnet.id) ?? 0));

/**
 * DescribeSubnets, DescribeSecurityGroups and their associations. The account has one VPC, and
 * nothing in it changes but the number of free addresses; rules of groups are not modelled.
 */
export function networkOperations(account: Account): Operations {
  return {
    DescribeSubnets: (input) => describeSubnets(account, input),
    DescribeSecurityGroups: (input) => describeSecurityGroups(account, input),
    // One network, so no group is shared with another.
    DescribeSecurityGroupVpcAssociations: () => ({ SecurityGroupVpcAssociations: [] }),
  };
}

function describeSubnets(account: Account, input: Fields): unknown {
  const ids = optionalTexts(input, 'SubnetIds');
  const zoneIds = new Map(account.zones.map(({ name, id }) => [name, id]));
  const subnets = ids
    ? describeById(account.subnets, ids, idOf, ([missing]) =>
        awsError('InvalidSubnetID.NotFound', `The subnet ID '${missing}' does not exist`),
      )
    : account.subnets;
  const { items, ...rest } = describePage(subnets, input, (subnet) => ({
    values: {
      'availability-zone': [subnet.zone],
      'availability-zone-id': [zoneIds.get(subnet.zone) ?? ''],
      'subnet-id': [subnet.id],
      'vpc-id': [account.vpcId],
      state: ['available'],
    },
    tags: subnet.tags,
  }));
  return {
    ...rest,
    Subnets: items.map((subnet) => ({
      AvailabilityZone: subnet.zone,
      AvailabilityZoneId: zoneIds.get(subnet.zone),
      AvailableIpAddressCount: freeAddresses(account, subnet),
      CidrBlock: subnet.cidr,
      MapPublicIpOnLaunch: false,
      OwnerId: account.id,
      State: 'available',
      SubnetArn: `arn:aws:ec2:${account.region}:${account.id}:subnet/${subnet.id}`,
      SubnetId: subnet.id,
      Tags: describeTags(subnet.tags),
      VpcId: account.vpcId,
    })),
  };
}

function describeSecurityGroups(account: Account, input: Fields): unknown {
  const ids = optionalTexts(input, 'GroupIds');
  const groups = ids
    ? describeById(account.securityGroups, ids, idOf, ([missing]) =>
        awsError('InvalidGroup.NotFound', `The security group '${missing}' does not exist`),
      )
    : account.securityGroups;
  const { items, ...rest } = describePage(groups, input, (group) => ({
    values: {
      'group-id': [group.id],
      'group-name': [group.name],
      'vpc-id': [account.vpcId],
      'owner-id': [account.id],
    },
    tags: group.tags,
  }));
  return {
    ...rest,
    SecurityGroups: items.map((group) => ({
      Description: group.name,
      GroupId: group.id,
      GroupName: group.name,
      OwnerId: account.id,
      Tags: describeTags(group.tags),
      VpcId: account.vpcId,
    })),
  };
}

const idOf = (item: { readonly id: string }): string => item.id;
