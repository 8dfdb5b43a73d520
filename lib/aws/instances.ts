import type { Instance as DescribedInstance, Filter } from '@aws-sdk/client-ec2';
import { compareText } from '#lib/constraints/order.ts';
import type { Instance } from '#lib/model/instance.ts';
import { NODECLASS, NODEPOOL } from '#lib/model/labels.ts';
import type { AwsCall } from './call.ts';
import { awsErrorKind } from './errors.ts';
import { everyPage } from './pages.ts';
import { tagsByKey } from './tags.ts';

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
  const reservations = await everyPage(
    (page) => call('DescribeInstances', { Filters: filters, ...page }),
    ({ Reservations }) => Reservations ?? [],
  );
  const described = reservations.flatMap(({ Instances }) => Instances ?? []);
  return described.flatMap(instanceOf).sort((a, b) => compareText(a.id, b.id));
}

/** Ends an instance; one that EC2 does not know any more is ended. */
export async function terminateInstance(call: AwsCall, id: string): Promise<void> {
  try {
    await call('TerminateInstances', { InstanceIds: [id] });
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
      capacityType: isSpot(described) ? 'spot' : 'on-demand',
      imageId: described.ImageId ?? '',
      launchedAt: described.LaunchTime?.getTime() ?? 0,
      tags: tagsByKey(described.Tags),
    },
  ];
}

const isSpot = ({ InstanceLifecycle, SpotInstanceRequestId }: DescribedInstance): boolean =>
  InstanceLifecycle === 'spot' || SpotInstanceRequestId !== undefined;
