import type { Account, Instance, Operations } from './account.ts';
import { describePage } from './describe.ts';
import { awsError, missingParameter } from './error.ts';
import { dryRun } from './launch-templates.ts';
import { terminate } from './machines.ts';
import { describeTags, type Fields, optionalTexts, structures, tagsOf } from './request.ts';

/** How long EC2 shows an instance after its end. Source: EC2 User Guide, Terminate instances. */
const SHOWN_AFTER_END_MS = 3_600_000;

const STATE_CODES = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48 } as const;

/**
 * DescribeInstances, TerminateInstances, CreateTags (of instances). A new instance is not shown
 * for up to 2.5 s; later changes of state and tags are seen at once, which the real EC2 does not
 * promise. Instances cannot be stopped, only terminated.
 */
export function instanceOperations(account: Account): Operations {
  return {
    DescribeInstances: (input) => describeInstances(account, input),
    TerminateInstances: (input) => terminateInstances(account, input),
    CreateTags: (input) => createTags(account, input),
  };
}

/** Whether DescribeInstances shows `instance` at `now`. */
const isShown = (instance: Instance, now: number): boolean =>
  instance.visibleAt <= now &&
  (instance.terminatedAt === undefined || now - instance.terminatedAt < SHOWN_AFTER_END_MS);

function describeInstances(account: Account, input: Fields): unknown {
  const now = account.clock.now();
  const ids = optionalTexts(input, 'InstanceIds');
  if (ids && input.MaxResults !== undefined) {
    throw awsError(
      'InvalidParameterCombination',
      'The parameter instancesSet cannot be used with the parameter maxResults',
    );
  }
  const wanted = ids ? ids.map((id) => shown(account, id)) : account.instances;
  const { items, ...rest } = describePage(wanted, input, (instance) =>
    isShown(instance, now) ? describableOf(instance) : undefined,
  );
  return { ...rest, Reservations: items.map((instance) => reservation(account, instance)) };
}

function shown(account: Account, id: string): Instance {
  const instance = account.instancesById.get(id);
  if (instance !== undefined && isShown(instance, account.clock.now())) return instance;
  throw notFound([id]);
}

const notFound = (ids: readonly string[]): Error =>
  awsError(
    'InvalidInstanceID.NotFound',
    ids.length === 1
      ? `The instance ID '${ids[0]}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`,
  );

/** One instance with one reservation of its own, as a fleet launches them. */
const reservation = (account: Account, instance: Instance): unknown => ({
  OwnerId: account.id,
  ReservationId: `r-${instance.id.slice(2)}`,
  Instances: [describeInstance(account, instance)],
});

const describeInstance = (account: Account, instance: Instance): unknown => ({
  Architecture: instance.type.architecture,
  ImageId: instance.imageId,
  InstanceId: instance.id,
  InstanceType: instance.type.name,
  LaunchTime: new Date(Math.floor(instance.launchedAt / 1000) * 1000),
  Placement: {
    AvailabilityZone: instance.zone,
    AvailabilityZoneId: instance.zoneId,
    Tenancy: 'default',
    ...(instance.placement && {
      GroupId: instance.placement.group.id,
      GroupName: instance.placement.group.name,
      ...(instance.placement.partition === undefined
        ? {}
        : { PartitionNumber: instance.placement.partition }),
    }),
  },
  PrivateDnsName: instance.privateDnsName,
  PrivateIpAddress: instance.privateIp,
  SecurityGroups: instance.securityGroupIds.map((GroupId) => ({ GroupId })),
  State: { Code: STATE_CODES[instance.state], Name: instance.state },
  SubnetId: instance.subnetId,
  Tags: describeTags(instance.tags),
  VpcId: account.vpcId,
  ...(instance.profileArn === undefined
    ? {}
    : { IamInstanceProfile: { Arn: instance.profileArn } }),
  ...(instance.spotRequestId === undefined
    ? {}
    : { InstanceLifecycle: 'spot', SpotInstanceRequestId: instance.spotRequestId }),
  ...(instance.reservation && {
    CapacityReservationId: instance.reservation.id,
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: instance.reservation.id },
    },
    ...(instance.reservation.kind === 'capacity-block' && { InstanceLifecycle: 'capacity-block' }),
  }),
  ...(instance.stateReason === undefined ? {} : { StateReason: instance.stateReason }),
});

function describableOf(instance: Instance) {
  return {
    values: {
      architecture: [instance.type.architecture],
      'availability-zone': [instance.zone],
      'image-id': [instance.imageId],
      'instance-id': [instance.id],
      'instance-lifecycle': instance.capacityType === 'spot' ? ['spot'] : [],
      'instance-state-name': [instance.state],
      'instance-type': [instance.type.name],
      'private-dns-name': [instance.privateDnsName],
      'private-ip-address': [instance.privateIp],
      'subnet-id': [instance.subnetId],
    },
    tags: instance.tags,
  };
}

function terminateInstances(account: Account, input: Fields): unknown {
  const ids = optionalTexts(input, 'InstanceIds');
  if (!ids || ids.length === 0) throw missingParameter('instanceIds');
  const now = account.clock.now();
  const instances = ids.map((id) => account.instancesById.get(id));
  const missing = ids.filter((_, index) => {
    const instance = instances[index];
    return instance === undefined || goneFromSight(instance, now);
  });
  if (missing.length > 0) throw notFound(missing);
  if (input.DryRun === true) throw dryRun();
  return {
    TerminatingInstances: instances
      .filter((instance) => instance !== undefined)
      .map((instance) => {
        const previous = instance.state;
        terminate(account, instance, {
          Code: 'Client.UserInitiatedShutdown',
          Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
        });
        return {
          InstanceId: instance.id,
          CurrentState: { Code: STATE_CODES[instance.state], Name: instance.state },
          PreviousState: { Code: STATE_CODES[previous], Name: previous },
        };
      }),
  };
}

const goneFromSight = ({ terminatedAt }: Instance, now: number): boolean =>
  terminatedAt !== undefined && now - terminatedAt >= SHOWN_AFTER_END_MS;

function createTags(account: Account, input: Fields): unknown {
  const ids = optionalTexts(input, 'Resources');
  if (!ids || ids.length === 0) throw missingParameter('resourceIdSet');
  const tags = tagsOf(structures(input, 'Tags'));
  const instances = ids.map((id) => shown(account, id));
  for (const instance of instances) instance.tags = { ...instance.tags, ...tags };
  return {};
}
