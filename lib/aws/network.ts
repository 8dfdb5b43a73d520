import type { Filter } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { SelectorTerm } from '#lib/model/node-class.ts';
import type {
  FoundSecurityGroup,
  FoundSubnet,
  NodeClassFacts,
} from '#lib/model/node-class-facts.ts';
import { describeAwsError } from './errors.ts';
import { everyPage } from './pages.ts';

/**
 * The subnets that any of these terms selects, once each, sorted by id. An id in a term wins over
 * its tags.
 *
 * Source: karpenter AWS provider v1.14, providers/subnet/subnet.go, getFilterSets.
 */
export async function findSubnets(
  call: AwsCall,
  terms: readonly SelectorTerm[],
): Promise<readonly FoundSubnet[]> {
  const pages = await Promise.all(
    filterSets(terms, 'subnet-id').map((Filters) =>
      everyPage(
        (page) => call('DescribeSubnets', { Filters, ...page }),
        ({ Subnets }) => Subnets ?? [],
      ),
    ),
  );
  return onceEach(
    pages.flat().map((subnet) => ({
      id: subnet.SubnetId ?? '',
      zone: subnet.AvailabilityZone ?? '',
      zoneId: subnet.AvailabilityZoneId ?? '',
      freeAddresses: subnet.AvailableIpAddressCount ?? 0,
      ...(subnet.VpcId === undefined ? {} : { vpcId: subnet.VpcId }),
    })),
  );
}

/**
 * The security groups that any of these terms selects, once each, sorted by id. An id in a term
 * wins over its name, a name over its tags.
 *
 * Source: karpenter AWS provider v1.14, providers/securitygroup/securitygroup.go, getFilterSets.
 */
export async function findSecurityGroups(
  call: AwsCall,
  terms: readonly SelectorTerm[],
): Promise<readonly FoundSecurityGroup[]> {
  const pages = await Promise.all(
    filterSets(terms, 'group-id', 'group-name').map((Filters) =>
      everyPage(
        (page) => call('DescribeSecurityGroups', { Filters, ...page }),
        ({ SecurityGroups }) => SecurityGroups ?? [],
      ),
    ),
  );
  return onceEach(
    pages.flat().map(({ GroupId, GroupName, VpcId }) => ({
      id: GroupId ?? '',
      ...(GroupName === undefined ? {} : { name: GroupName }),
      ...(VpcId === undefined ? {} : { vpcIds: [VpcId] }),
    })),
  );
}

/** One set of filters a call: all ids together, then each term of its own. */
function filterSets(
  terms: readonly SelectorTerm[],
  idFilter: string,
  nameFilter?: string,
): readonly Filter[][] {
  const ids = [...new Set(terms.flatMap(({ id }) => id ?? []))].sort(compareText);
  const others = terms
    .filter(({ id }) => id === undefined)
    .map(({ name, tags }) =>
      nameFilter !== undefined && name !== undefined
        ? [{ Name: nameFilter, Values: [name] }]
        : tagFilters(tags ?? {}),
    )
    .filter((filters) => filters.length > 0);
  return ids.length === 0 ? others : [[{ Name: idFilter, Values: ids }], ...others];
}

/** Tags as filters that must all pass; the value * only asks that the key is there. */
export const tagFilters = (tags: Readonly<Record<string, string>>): Filter[] =>
  Object.entries(tags)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) =>
      value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
    );

/** Each thing once, sorted by id. */
export const onceEach = <T extends { readonly id: string }>(found: readonly T[]): readonly T[] =>
  [...new Map(found.map((one) => [one.id, one])).values()].sort((a, b) => compareText(a.id, b.id));

/**
 * The security groups, each with all networks in which it can be used, where one of them is not of
 * a subnet's network: it may be shared with that network. Where that cannot be found out, their
 * networks are left open, and `networksUnknown` says why: nothing is concluded, a launch would tell.
 * One call, and none where all are of one network.
 *
 * Source: EC2 API, DescribeSecurityGroupVpcAssociations.
 */
export async function withSharedNetworks(
  call: AwsCall,
  groups: readonly FoundSecurityGroup[],
  subnets: readonly FoundSubnet[],
): Promise<Pick<NodeClassFacts, 'securityGroups' | 'networksUnknown'>> {
  const strangers = groups.filter(({ vpcIds }) =>
    subnets.some(({ vpcId }) => vpcId !== undefined && vpcIds?.includes(vpcId) === false),
  );
  if (strangers.length === 0) return { securityGroups: groups };
  const ids = strangers.map(({ id }) => id);
  try {
    const shared = await sharedNetworks(call, ids);
    return {
      securityGroups: groups.map(({ vpcIds, ...group }) =>
        vpcIds === undefined
          ? group
          : { ...group, vpcIds: [...vpcIds, ...(shared.get(group.id) ?? [])] },
      ),
    };
  } catch (error) {
    return {
      securityGroups: groups.map(({ vpcIds: _, ...group }) => group),
      networksUnknown: describeAwsError(error),
    };
  }
}

async function sharedNetworks(
  call: AwsCall,
  groupIds: string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const associations = await everyPage(
    (page) =>
      call('DescribeSecurityGroupVpcAssociations', {
        Filters: [
          { Name: 'group-id', Values: groupIds },
          { Name: 'state', Values: ['associated'] },
        ],
        ...page,
      }),
    ({ SecurityGroupVpcAssociations }) => SecurityGroupVpcAssociations ?? [],
  );
  const shared = new Map<string, readonly string[]>();
  for (const { GroupId = '', VpcId } of associations) {
    if (VpcId !== undefined) shared.set(GroupId, [...(shared.get(GroupId) ?? []), VpcId]);
  }
  return shared;
}
