import type { PlacementGroup } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { PlacementGroupSelector, ResolvedPlacementGroup } from '#lib/model/node-class.ts';
import { awsErrorKind } from './errors.ts';

/**
 * The available placement group that is selected, by name exactly or by id; none where it is not
 * there. Throws where EC2 does not answer, or answers with a strategy that we do not know.
 *
 * Source: karpenter AWS provider v1.14, providers/placementgroup; EC2 API, DescribePlacementGroups.
 */
export async function findPlacementGroups(
  call: AwsCall,
  { id, name }: PlacementGroupSelector,
): Promise<readonly ResolvedPlacementGroup[]> {
  try {
    const { PlacementGroups } = await call('DescribePlacementGroups', {
      ...(id === undefined ? { GroupNames: [name ?? ''] } : { GroupIds: [id] }),
      Filters: [{ Name: 'state', Values: ['available'] }],
    });
    return (PlacementGroups ?? []).map(placementGroup);
  } catch (error) {
    if (awsErrorKind(error) === 'notFound') return [];
    throw error;
  }
}

function placementGroup(found: PlacementGroup): ResolvedPlacementGroup {
  const { GroupId: id = '', GroupName: name = '', Strategy: strategy, PartitionCount } = found;
  if (strategy !== 'cluster' && strategy !== 'partition' && strategy !== 'spread') {
    throw new Error(`expected strategy cluster, partition or spread of ${id}, found ${strategy}`);
  }
  return {
    id,
    name,
    strategy,
    ...(strategy === 'partition' && PartitionCount !== undefined
      ? { partitions: PartitionCount }
      : {}),
  };
}
