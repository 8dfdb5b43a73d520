import { describe, expect, it } from 'vitest';
import { createFleet } from '#lib/aws/fleet.ts';
import { findInstances, listInstances, terminateInstances } from '#lib/aws/instances.ts';
import { aLaunch, inGroup, inTime } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';
import { recordingCall } from '#test/build/recording-call.ts';

describe('instances', () => {
  it('are found by their launch, and are gone after they were ended', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench, [inGroup('a'), inGroup('b')]);
    const { instances } = await inTime(bench, (call) => createFleet(call, launch));
    await bench.pass(60_000);
    const listed = (tags = {}) => inTime(bench, (call) => listInstances(call, 'demo', tags));

    expect((await listed({ 'joinery.dev/launch-group': 'g' })).map(({ id }) => id)).toEqual(
      instances.map(({ id }) => id),
    );
    expect(await listed({ 'joinery.dev/launch-group': 'other' })).toEqual([]);
    expect(await inTime(bench, (call) => listInstances(call, 'another'))).toEqual([]);

    for (const { id } of instances) await inTime(bench, (call) => terminateInstances(call, [id]));
    await bench.pass(3_600_000 * 2);
    expect(await listed()).toEqual([]);
    await inTime(bench, (call) => terminateInstances(call, [instances[0]?.id ?? '']));
  });
});

describe('ending instances', () => {
  it('110: asks singly for those that the answer to all of them leaves out', async () => {
    const { call, asked } = recordingCall({
      TerminateInstances: ({ InstanceIds = [] }) => ({
        TerminatingInstances: [{ InstanceId: InstanceIds[0] }],
      }),
    });
    await terminateInstances(call, ['i-1', 'i-2', 'i-3']);

    expect(asked('TerminateInstances')).toEqual([
      { InstanceIds: ['i-1', 'i-2', 'i-3'] },
      { InstanceIds: ['i-2'] },
      { InstanceIds: ['i-3'] },
    ]);
  });

  it('is not kept from the others by one that EC2 does not know', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench, [inGroup('a'), inGroup('b')]);
    const { instances } = await inTime(bench, (call) => createFleet(call, launch));
    const ids = [...instances.map(({ id }) => id), 'i-0123456789abcdef0'];
    await inTime(bench, (call) => terminateInstances(call, ids));

    expect(bench.aws.machines().map(({ state }) => state)).not.toContain('running');
    expect(bench.aws.calls().TerminateInstances).toBe(4);
  });
});

describe('what EC2 says of an instance', () => {
  const told = async (described: object) => {
    const { call } = recordingCall({
      DescribeInstances: () => ({
        Reservations: [
          { Instances: [{ InstanceId: 'i-1', State: { Name: 'running' }, ...described }] },
        ],
      }),
    });
    const [instance] = await findInstances(call, ['i-1']);
    return instance;
  };
  const preferring = (CapacityReservationPreference: string) => ({
    CapacityReservationId: 'cr-1',
    CapacityReservationSpecification: { CapacityReservationPreference },
  });

  it.each([
    ['on-demand', {}],
    ['spot', { InstanceLifecycle: 'spot' }],
    ['reserved', preferring('capacity-reservations-only')],
    ['on-demand', preferring('open')],
  ])('135: is bought as %s where it says %j', async (capacityType, described) => {
    expect(await told(described)).toMatchObject({ capacityType });
  });

  it('tells where it stands and what it may', async () => {
    expect(
      await told({
        SubnetId: 'subnet-1',
        SecurityGroups: [{ GroupId: 'sg-2' }, { GroupId: 'sg-1' }],
        IamInstanceProfile: { Arn: 'arn:aws:iam::1:instance-profile/karpenter/r/c/uid/profile-1' },
      }),
    ).toMatchObject({
      subnetId: 'subnet-1',
      securityGroupIds: ['sg-1', 'sg-2'],
      instanceProfile: 'profile-1',
    });
  });
});
