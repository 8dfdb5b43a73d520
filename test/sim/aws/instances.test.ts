import { describe, expect, it } from 'vitest';
import { type AwsBench, aFleet, anAccount, aTemplate } from '#test/build/embedded-aws.ts';

async function running(total = 1, bench: AwsBench = anAccount()) {
  await aTemplate(bench);
  await bench.ask('CreateFleet', aFleet({ total }));
  return bench;
}

const idsOf = (answer: Record<string, unknown>): string[] =>
  (answer.Reservations as { Instances: { InstanceId: string }[] }[]).flatMap(({ Instances }) =>
    Instances.map(({ InstanceId }) => InstanceId),
  );

const state = (name: string) => ({ Filters: [{ Name: 'instance-state-name', Values: [name] }] });

describe('instances of the embedded EC2', () => {
  it('are not described right after their launch, and are a little later', async () => {
    const bench = anAccount({ seed: 5 });
    const lag: boolean[] = [];
    await aTemplate(bench);
    bench.aws
      .call('test')('CreateFleet', aFleet())
      .catch(() => undefined);
    await bench.clock.run(() => bench.aws.machines().length > 0, bench.clock.now() + 10_000);
    const [machine] = bench.aws.machines();
    lag.push((machine?.visibleAt ?? 0) > bench.clock.now());
    await bench.pass(10_000);

    expect(lag).toEqual([true]);
    expect(idsOf(await bench.ask('DescribeInstances', {}))).toEqual([machine?.id]);
  });

  it('run, shut down and are terminated, and tell their listener and the event bus', async () => {
    const told: string[] = [];
    const bench = anAccount();
    bench.aws.listen({
      started: ({ id }) => told.push(`${id} started`),
      stopping: ({ id }) => told.push(`${id} stopping`),
      gone: ({ id }) => told.push(`${id} gone`),
    });
    await running(1, bench);
    await bench.pass(15_000);
    const [machine] = bench.aws.machines();
    await bench.ask('TerminateInstances', { InstanceIds: [machine?.id] });
    await bench.pass(60_000);

    expect(told).toEqual(['started', 'stopping', 'gone'].map((what) => `${machine?.id} ${what}`));
    expect(bench.events).toMatchObject(
      ['pending', 'running', 'shutting-down', 'terminated'].map((name) => ({
        'detail-type': 'EC2 Instance State-change Notification',
        detail: { 'instance-id': machine?.id, state: name },
      })),
    );
  });

  it('are found by tag, by state, page by page', async () => {
    const bench = await running(12);
    await bench.pass(15_000);
    const filters = {
      Filters: [
        { Name: 'tag:karpenter.sh/nodepool', Values: ['def*'] },
        { Name: 'instance-state-name', Values: ['running'] },
      ],
    };
    const first = await bench.ask('DescribeInstances', { ...filters, MaxResults: 10 });
    const second = await bench.ask('DescribeInstances', {
      ...filters,
      MaxResults: 10,
      NextToken: first.NextToken,
    });

    expect([...idsOf(first), ...idsOf(second)]).toEqual(bench.aws.machines().map(({ id }) => id));
    expect(second.NextToken).toBeUndefined();
    expect(idsOf(await bench.ask('DescribeInstances', state('terminated')))).toEqual([]);
  });

  it.each([
    ['DescribeInstances', { InstanceIds: ['i-0gone'] }, 'InvalidInstanceID.NotFound'],
    ['TerminateInstances', { InstanceIds: ['i-0gone'] }, 'InvalidInstanceID.NotFound'],
    [
      'DescribeInstances',
      { Filters: [{ Name: 'colour', Values: ['red'] }] },
      'InvalidParameterValue',
    ],
    ['StartInstances', {}, 'InvalidAction'],
  ])('%s %j is refused with %s', async (name, input, code) => {
    const bench = await running();
    await bench.pass(5_000);

    await expect(bench.ask(name, input)).rejects.toMatchObject({ name: code });
  });

  it('are warned two minutes before spot takes them back', async () => {
    const bench = anAccount();
    await aTemplate(bench);
    await bench.ask('CreateFleet', aFleet({ capacityType: 'spot' }));
    await bench.pass(15_000);
    const id = bench.aws.machines()[0]?.id ?? '';
    bench.aws.reclaim(id);
    await bench.pass(119_000);
    const before = bench.aws.machines()[0]?.state;
    await bench.pass(2_000);

    expect(bench.events).toContainEqual(
      expect.objectContaining({
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': id, 'instance-action': 'terminate' },
      }),
    );
    expect([before, bench.aws.machines()[0]?.state]).toEqual(['running', 'shutting-down']);
  });

  it('take an address of their subnet and give it back', async () => {
    const bench = anAccount();
    const free = async (): Promise<number> => {
      const { Subnets } = await bench.ask('DescribeSubnets', {});
      return (Subnets as { AvailableIpAddressCount: number }[]).reduce(
        (sum, { AvailableIpAddressCount }) => sum + AvailableIpAddressCount,
        0,
      );
    };
    const atFirst = await free();
    await running(3, bench);
    const during = await free();
    for (const { id } of bench.aws.machines()) bench.aws.terminate(id);
    await bench.pass(60_000);

    expect([during - atFirst, (await free()) - atFirst]).toEqual([-3, 0]);
  });

  it('come out the same from the same seed, and differ from another', async () => {
    const ids = async (seed: number): Promise<string> => {
      const bench = await running(3, anAccount({ seed }));
      await bench.pass(20_000);
      return JSON.stringify([bench.journal.entries, bench.events]);
    };

    expect(await ids(7)).toBe(await ids(7));
    expect(await ids(7)).not.toBe(await ids(8));
  });
});

describe('calls to the embedded AWS', () => {
  it('fail as planned, as often as planned', async () => {
    const bench = await running();
    bench.aws.failNext({ name: 'DescribeInstances', code: 'RequestLimitExceeded', times: 1 });

    await expect(bench.ask('DescribeInstances', {})).rejects.toMatchObject({
      name: 'RequestLimitExceeded',
      $metadata: { httpStatusCode: 503 },
    });
    await expect(bench.ask('DescribeInstances', {})).resolves.toHaveProperty('Reservations');
  });

  it('are counted by name', async () => {
    const bench = await running();

    expect(bench.aws.calls()).toEqual({ CreateFleet: 1, CreateLaunchTemplate: 1, GetParameter: 1 });
  });
});
