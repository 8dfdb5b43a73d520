import { describe, expect, it } from 'vitest';
import { wire } from '#lib/kube/decode/field.ts';
import { readSoldOut } from '#lib/kube/sold-out.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { Launch } from '#lib/model/launch.ts';
import { type ActingBench, anActingBench } from '#test/build/acting.ts';
import { aLaunch } from '#test/build/aws-callers.ts';

const NAMES = ['a', 'b'];

async function toLaunch(attempt = 0): Promise<{ bench: ActingBench; launch: Launch }> {
  const bench = anActingBench();
  await bench.act(NAMES.map((name) => bench.toCreate(name, NAMES.length)));
  const launch = await aLaunch(bench.account, bench.claims(...NAMES), attempt);
  return { bench, launch };
}

const act = async (bench: ActingBench, launch: Launch) => {
  const [outcome] = await bench.act([{ kind: 'launch', launch }]);
  return outcome;
};
const idsOf = (bench: ActingBench) => bench.account.aws.machines().map(({ id }) => id);
const providerIds = (bench: ActingBench) =>
  bench.claims(...NAMES).map(({ status }) => status.providerId?.split('/').at(-1));
const launchedOf = (bench: ActingBench) =>
  bench.claims(...NAMES).map(({ status }) => conditionOf(status.conditions, 'Launched'));

describe('launch', () => {
  it('gives instances, sorted by id, to claims, sorted by name, with their labels', async () => {
    const { bench, launch } = await toLaunch();

    expect(await act(bench, launch)).toMatchObject({ result: 'done' });
    expect(providerIds(bench)).toEqual(idsOf(bench).sort());
    expect(bench.claims('a')).toMatchObject([
      {
        meta: {
          labels: {
            'node.kubernetes.io/instance-type': expect.stringMatching(/large$/),
            'karpenter.sh/capacity-type': 'spot',
            'topology.kubernetes.io/zone': expect.stringMatching(/^us-east-1/),
          },
        },
        status: { imageId: expect.stringMatching(/^ami-/) },
      },
    ]);
  });

  it('tells an instance even to a claim that somebody has changed in between', async () => {
    const { bench, launch } = await toLaunch();
    const [a] = launch.claims;
    if (a === undefined) throw new Error('expected a claim');
    await bench.act([{ kind: 'update', object: a, meta: { annotations: { note: 'x' } } }]);

    expect(await act(bench, launch)).toMatchObject({ result: 'done' });
    expect(providerIds(bench)).toEqual(idsOf(bench).sort());
  });

  it('comes to the same when it is done again', async () => {
    const { bench, launch } = await toLaunch();
    await act(bench, launch);
    const before = providerIds(bench);
    await act(bench, launch);

    expect(providerIds(bench)).toEqual(before);
    expect(idsOf(bench)).toHaveLength(2);
  });

  it('finds its instances by their tags, where another call with its token arrived before', async () => {
    const { bench, launch } = await toLaunch();
    await act(bench, launch);
    for (const name of NAMES) bench.api.cluster.remove('NodeClaim', '', name);
    await bench.act(NAMES.map((name) => bench.toCreate(name, NAMES.length)));
    const claims = bench.claims(...NAMES).map(({ meta }) => meta);
    const renewed = launch.claims.map((ref, at) => ({ ...ref, ...pick(claims[at]) }));
    const request = { ...wire(launch.request), Context: 'other' } as Launch['request'];
    await bench.account.pass(60_000);

    expect(await act(bench, { ...launch, claims: renewed, request })).toMatchObject({
      result: 'done',
    });
    expect(providerIds(bench)).toEqual(idsOf(bench).sort());
    expect(idsOf(bench)).toHaveLength(2);
  });

  it('tells the claims that capacity is missing, and remembers what is sold out for three minutes', async () => {
    const { bench, launch } = await toLaunch();
    bench.account.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });

    expect(await act(bench, launch)).toMatchObject({
      result: 'done',
      because: expect.stringContaining('InsufficientCapacity'),
    });
    expect(launchedOf(bench)).toMatchObject([
      { status: 'Unknown', reason: 'InsufficientCapacity' },
      { status: 'Unknown', reason: 'InsufficientCapacity' },
    ]);
    const [a] = bench.claims('a');
    expect(a?.meta.annotations).toHaveProperty('joinery.dev/launch-failed-at');
    expect(a?.meta.annotations).not.toHaveProperty('joinery.dev/launch-attempt');
    const now = bench.api.now();
    const { soldOut } = await bench.api.through(readSoldOut(bench.api.kube, now));
    expect(soldOut.length).toBeGreaterThan(1);
    for (const { until } of soldOut) expect(until - now).toBeGreaterThan(178_000);
  });

  it('tells the claims, in 300 characters at the most, that the call was refused', async () => {
    const { bench, launch } = await toLaunch();
    bench.account.aws.failNext({ name: 'CreateFleet', code: 'UnauthorizedOperation', times: 1 });

    expect(await act(bench, launch)).toMatchObject({ result: 'failed' });
    expect(launchedOf(bench)).toMatchObject([
      { status: 'Unknown', reason: 'Unauthorized' },
      { status: 'Unknown', reason: 'Unauthorized' },
    ]);
    expect(launchedOf(bench)[0]?.message).toContain('CreateFleet needs ec2:CreateFleet');
    expect(launchedOf(bench)[0]?.message.length).toBeLessThanOrEqual(300);
    expect(bench.claims('a')[0]?.meta.annotations).not.toHaveProperty('joinery.dev/launch-attempt');
  });

  it('is tried again with the same token after a throttled call, and says when that was', async () => {
    const { bench, launch } = await toLaunch();
    bench.account.aws.failNext({ name: 'CreateFleet', code: 'RequestLimitExceeded', times: 1 });

    expect(await act(bench, launch)).toMatchObject({ result: 'retry' });
    expect(launchedOf(bench)).toMatchObject([
      { status: 'Unknown', reason: 'RequestLimitExceeded' },
      { status: 'Unknown', reason: 'RequestLimitExceeded' },
    ]);
    const [a] = bench.claims('a');
    expect(a?.meta.annotations).toHaveProperty('joinery.dev/launch-failed-at');
    expect(a?.meta.annotations).not.toHaveProperty('joinery.dev/launch-attempt');
    expect(conditionOf(a?.status.conditions ?? [], 'Ready')).toMatchObject({ status: 'Unknown' });
    expect(await act(bench, launch)).toMatchObject({ result: 'done' });
  });
});

describe('ending instances', () => {
  it('takes one call for those that go at the same moment', async () => {
    const { bench, launch } = await toLaunch();
    await act(bench, launch);
    const ends = bench.account.aws
      .machines()
      .map(({ id }) => ({ kind: 'terminateInstance' as const, instanceId: id }));
    const outcomes = await bench.act(ends);

    expect(outcomes.map(({ result }) => result)).toEqual(['done', 'done']);
    expect(bench.account.aws.calls().TerminateInstances).toBe(1);
  });
});

describe('acting after AWS asked to be called less often', () => {
  it('does not call it again in the same round, and says so', async () => {
    const { bench, launch } = await toLaunch();
    const code = 'RequestLimitExceeded';
    bench.account.aws.failNext({ name: 'CreateFleet', code, times: 1 });
    const claim = launch.claims[0];
    if (claim === undefined) throw new Error('expected a claim, found none');
    const [first, second] = await bench.act([
      { kind: 'launch', launch },
      { kind: 'terminateInstance', instanceId: 'i-0', claim },
    ]);

    expect(first).toMatchObject({ result: 'retry' });
    expect(second).toMatchObject({ result: 'retry' });
    expect(bench.account.aws.calls()).not.toHaveProperty('TerminateInstances');
  });
});

function pick(meta: { uid: string; resourceVersion: string } | undefined) {
  return meta && { uid: meta.uid, resourceVersion: meta.resourceVersion };
}
