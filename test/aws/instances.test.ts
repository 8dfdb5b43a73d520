import { describe, expect, it } from 'vitest';
import { createFleet } from '#lib/aws/fleet.ts';
import { listInstances, terminateInstance } from '#lib/aws/instances.ts';
import { aLaunch, inGroup, inTime } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';

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

    for (const { id } of instances) await inTime(bench, (call) => terminateInstance(call, id));
    await bench.pass(3_600_000 * 2);
    expect(await listed()).toEqual([]);
    await inTime(bench, (call) => terminateInstance(call, instances[0]?.id ?? ''));
  });
});
