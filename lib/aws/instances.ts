import type { Instance as DescribedInstance, Filter } from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { Instance } from '#lib/model/instance.ts';
import { NODECLASS, NODEPOOL } from '#lib/model/labels.ts';
import { awsErrorKind } from './errors.ts';
import { everyPage } from './pages.ts';
import { tagList, tagsByKey } from './tags.ts';

/** Terminated instances linger in EC2's answers and are of no use to anyone. */
const LIVE_STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];

/**
 * The instances of a cluster that Joinery or Karpenter launched and that are not terminated,
 * sorted by id; only those that carry all of `tags`, where given.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, List.
 */
export async function listInstances(
  call: AwsCall,
  clusterName: string,
  tags: Readonly<Record<string, string>> = {},
): Promise<readonly Instance[]> {
  const filters: Filter[] = [
    { Name: 'tag-key', Values: [NODEPOOL] },
    { Name: 'tag-key', Values: [NODECLASS] },
    { Name: 'tag:eks:eks-cluster-name', Values: [clusterName] },
    { Name: 'instance-state-name', Values: LIVE_STATES },
    ...Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] })),
  ];
  return [...(await describe(call, filters))].sort((a, b) => compareText(a.id, b.id));
}

/** How many values one filter takes. Source: EC2 API, DescribeInstances, Filters. */
const IDS_AT_ONCE = 200;

/**
 * Those of `ids` that EC2 knows, in whatever state, tagged or not, sorted by id: a second question
 * about instances that a list by tags did not show.
 */
export async function findInstances(
  call: AwsCall,
  ids: readonly string[],
): Promise<readonly Instance[]> {
  const found: Instance[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const Filters = [{ Name: 'instance-id', Values: ids.slice(from, from + IDS_AT_ONCE) }];
    found.push(...(await describe(call, Filters)));
  }
  return found.sort((a, b) => compareText(a.id, b.id));
}

async function describe(call: AwsCall, Filters: Filter[]): Promise<readonly Instance[]> {
  const reservations = await everyPage(
    (page) => call('DescribeInstances', { Filters, ...page }),
    ({ Reservations }) => Reservations ?? [],
  );
  return reservations.flatMap(({ Instances }) => Instances ?? []).flatMap(instanceOf);
}

/**
 * Ends instances by one call; one that EC2 does not know any more is ended. Where the call does not
 * answer for all of them, because one that it does not know spoils it for the others or for reasons
 * of its own, the rest are asked for one by one. Throws what refuses any of them.
 *
 * Source: karpenter AWS provider v1.14, batcher/terminateinstances.go.
 */
export async function terminateInstances(call: AwsCall, ids: readonly string[]): Promise<void> {
  const answered = new Set(await terminated(call, ids));
  const rest = ids.length > 1 ? ids.filter((id) => !answered.has(id)) : [];
  await Promise.all(rest.map((id) => terminated(call, [id])));
}

/** Those that the answer names; none where one of them is not known. */
async function terminated(call: AwsCall, ids: readonly string[]): Promise<readonly string[]> {
  try {
    const { TerminatingInstances } = await call('TerminateInstances', { InstanceIds: [...ids] });
    return (TerminatingInstances ?? []).flatMap(({ InstanceId }) => InstanceId ?? []);
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
    return [];
  }
}

/** Adds tags to an instance; one that is gone needs none. */
export async function tagInstance(
  call: AwsCall,
  id: string,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await call('CreateTags', { Resources: [id], Tags: tagList(tags) });
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
  }
}

function instanceOf(described: DescribedInstance): readonly Instance[] {
  const state = described.State?.Name;
  if (described.InstanceId === undefined || state === undefined) return [];
  return [
    {
      id: described.InstanceId,
      state,
      instanceType: described.InstanceType ?? '',
      zone: described.Placement?.AvailabilityZone ?? '',
      capacityType: capacityTypeOf(described),
      imageId: described.ImageId ?? '',
      launchedAt: described.LaunchTime?.getTime() ?? 0,
      tags: tagsByKey(described.Tags),
      ...placeOf(described),
    },
  ];
}

/**
 * Reserved is only what was launched into its reservation on purpose: an open one takes in whatever
 * fits, without anybody having asked for it.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/types.go, NewInstance.
 */
function capacityTypeOf(described: DescribedInstance): Instance['capacityType'] {
  const { InstanceLifecycle, SpotInstanceRequestId, CapacityReservationId } = described;
  if (InstanceLifecycle === 'spot' || SpotInstanceRequestId !== undefined) return 'spot';
  const preference = described.CapacityReservationSpecification?.CapacityReservationPreference;
  const isAskedFor = preference === 'capacity-reservations-only';
  return CapacityReservationId !== undefined && isAskedFor ? 'reserved' : 'on-demand';
}

function placeOf(described: DescribedInstance): Partial<Instance> {
  const { SubnetId, SecurityGroups, CapacityReservationId } = described;
  const partition = described.Placement?.PartitionNumber;
  const profile = described.IamInstanceProfile?.Arn?.split('/').at(-1);
  return {
    ...(SubnetId === undefined ? {} : { subnetId: SubnetId }),
    ...(SecurityGroups === undefined
      ? {}
      : { securityGroupIds: SecurityGroups.flatMap(({ GroupId }) => GroupId ?? []).sort() }),
    ...(profile === undefined ? {} : { instanceProfile: profile }),
    ...(partition === undefined ? {} : { partition }),
    ...(CapacityReservationId === undefined ? {} : { reservationId: CapacityReservationId }),
  };
}
