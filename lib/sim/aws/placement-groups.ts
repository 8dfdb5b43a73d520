import {
  type Account,
  hex,
  type Instance,
  type Operations,
  type PlacementGroup,
} from './account.ts';
import { describeById, describePage } from './describe.ts';
import { awsError } from './error.ts';
import { describeTags, type Fields, optionalTexts, type Tags } from './request.ts';

/** What somebody makes a placement group with. */
export interface PlacementGroupOrder {
  readonly name: string;
  readonly strategy: PlacementGroup['strategy'];
  /** Two where absent; of strategy partition only. */
  readonly partitions?: number;
  readonly tags?: Tags;
}

/** How many instances of a spread group one zone can hold. Source: EC2 User Guide, Placement groups. */
const SPREAD_IN_ZONE = 7;

/** Makes a placement group. */
export function makePlacementGroup(
  account: Account,
  { name, strategy, partitions = 2, tags = {} }: PlacementGroupOrder,
): PlacementGroup {
  const group: PlacementGroup = {
    id: `pg-${hex(account.random, 17)}`,
    name,
    strategy,
    partitions: strategy === 'partition' ? partitions : undefined,
    tags,
  };
  account.placementGroups.set(group.id, group);
  return group;
}

/**
 * What keeps an instance from standing in a group in this zone: a cluster group stays in the zone
 * of its first instance, a spread one holds seven in a zone, a partition must be one that it has.
 */
export function placementRefusal(
  account: Account,
  group: PlacementGroup,
  { zone, partition }: { readonly zone: string; readonly partition: number | undefined },
): { readonly code: string; readonly message: string } | undefined {
  const [first] = membersOf(account, group);
  if (group.strategy === 'cluster' && first !== undefined && first.zone !== zone) {
    return {
      code: 'InvalidParameterValue',
      message: `Instances in the '${group.name}' Placement Group must be launched in the ${first.zone} Availability Zone. Specify the ${first.zone} Availability Zone and try again.`,
    };
  }
  if (partition !== undefined && (partition < 1 || partition > (group.partitions ?? 0))) {
    return {
      code: 'InvalidParameterValue',
      message: `Value (${partition}) for parameter partitionNumber is invalid.`,
    };
  }
  return undefined;
}

/** How many more instances a group can hold in a zone. */
export function roomInGroup(account: Account, group: PlacementGroup, zone: string): number {
  if (group.strategy !== 'spread') return Number.POSITIVE_INFINITY;
  const there = membersOf(account, group).filter((instance) => instance.zone === zone);
  return Math.max(0, SPREAD_IN_ZONE - there.length);
}

/** Where EC2 puts the next instance that asks for no partition: where fewest are, the first of equals. */
export function nextPartition(account: Account, group: PlacementGroup): number | undefined {
  if (group.partitions === undefined) return undefined;
  const members = membersOf(account, group);
  const counts = Array.from(
    { length: group.partitions },
    (_, index) => members.filter(({ placement }) => placement?.partition === index + 1).length,
  );
  return counts.indexOf(Math.min(...counts)) + 1;
}

const membersOf = (account: Account, group: PlacementGroup): readonly Instance[] =>
  account.instances.filter(
    ({ placement, state }) => placement?.group === group && state !== 'terminated',
  );

/** DescribePlacementGroups, by name or by id. */
export const placementGroupOperations = (account: Account): Operations => ({
  DescribePlacementGroups: (input) => describeGroups(account, input),
});

function describeGroups(account: Account, input: Fields): unknown {
  const all = [...account.placementGroups.values()];
  const unknown = ([missing = '']: readonly string[]) =>
    awsError('InvalidPlacementGroup.Unknown', `The Placement Group '${missing}' is unknown.`);
  const names = optionalTexts(input, 'GroupNames');
  const ids = optionalTexts(input, 'GroupIds');
  const named = names ? describeById(all, names, ({ name }) => name, unknown) : all;
  const wanted = ids ? describeById(named, ids, ({ id }) => id, unknown) : named;
  const { items, ...rest } = describePage(wanted, input, (group) => ({
    values: { state: ['available'], strategy: [group.strategy], 'group-name': [group.name] },
    tags: group.tags,
  }));
  return {
    ...rest,
    PlacementGroups: items.map(({ id, name, strategy, partitions, tags }) => ({
      GroupId: id,
      GroupName: name,
      State: 'available',
      Strategy: strategy,
      Tags: describeTags(tags),
      ...(partitions === undefined ? {} : { PartitionCount: partitions }),
    })),
  };
}
