import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecodeResult } from '#lib/kube/decode/decode.ts';
import { aPodManifest } from '#test/build/small-cluster.ts';
import { aWarmWorld, type StreamFault, type WarmWorld } from '#test/build/warm-world.ts';

const aPod = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  aPodManifest(name, { schedulerName: 'nobody' }, { labels });

const aClass = (name: string, app: string) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name, labels: { app } },
  value: 1,
});

/** What was read, in an order of its own: a Snapshot sorts everything. */
const sorted = ({ objects, leftOut }: DecodeResult) => ({
  leftOut,
  objects: Object.values(objects).map((kept) =>
    [...kept].map((each) => JSON.stringify(each)).sort(),
  ),
});

const podsOf = ({ objects }: DecodeResult) =>
  objects.pods.map(({ meta }) => `${meta.name} ${meta.labels.app ?? ''}`).sort();

describe('a warm look', () => {
  it('catches up by a watch from where it was, once it knows how far it must come', async () => {
    const world = aWarmWorld();
    world.cluster.apply(aPod('a'));
    await world.lookWarm();
    world.asked();
    world.cluster.remove('Pod', 'default', 'a');
    world.cluster.apply(aPod('b'));

    expect(podsOf(await world.lookWarm())).toEqual(['b ']);
    expect(world.asked().filter((each) => each.endsWith('pods'))).toEqual([
      'list pods',
      'watch pods',
    ]);
  });

  it('asks no more where nothing at all was written', async () => {
    const world = aWarmWorld();
    await world.lookWarm();
    world.asked();
    await world.lookWarm();

    expect(world.asked().filter((each) => each.startsWith('watch'))).toEqual([]);
  });

  it('knows by a bookmark that nothing happened to a kind while others were written', async () => {
    const world = aWarmWorld();
    await world.lookWarm();
    const before = world.now();
    world.cluster.apply(aPod('a'));
    world.asked();
    await world.lookWarm();

    expect(world.asked().filter((each) => each.endsWith('poddisruptionbudgets'))).toEqual([
      'list poddisruptionbudgets',
      'watch poddisruptionbudgets',
    ]);
    expect(world.now() - before).toBeLessThan(1_500);
  });

  it('goes on from the last event where a stream breaks or ends before it has said all', async () => {
    const world = aWarmWorld();
    await world.lookWarm();
    for (const name of ['a', 'b', 'c']) world.cluster.apply(aPod(name));
    world.asked();
    const faults: readonly StreamFault[] = [
      { afterLines: 1, how: 'breaks' },
      { afterLines: 1, how: 'ends' },
    ];

    expect(podsOf(await world.lookWarm(faults))).toEqual(['a ', 'b ', 'c ']);
    expect(world.asked().filter((each) => each === 'list pods')).toHaveLength(1);
  });

  it('lists anew where the history does not reach back far enough', async () => {
    const world = aWarmWorld();
    await world.lookWarm();
    for (let at = 0; at < 120; at += 1) world.cluster.apply(aPod('a', { app: `${at}` }));
    await world.wait(120);
    world.cluster.apply(aPod('a', { app: 'last' }));
    world.asked();

    expect(podsOf(await world.lookWarm())).toEqual(['a last']);
    expect(world.asked().filter((each) => each.endsWith(' pods'))).toEqual([
      'list pods',
      'watch pods',
      'list pods',
    ]);
  });

  it('lists kinds of few objects and keeps what has not changed as the very object it was', async () => {
    const world = aWarmWorld(5);
    world.cluster.apply(aPod('a'));
    world.cluster.apply(aPod('b'));
    const first = await world.lookWarm();
    world.cluster.apply(aPod('b', { app: 'changed' }));
    const second = await world.lookWarm();

    expect(world.asked().filter((each) => each.startsWith('watch'))).toEqual([]);
    expect(second.objects.pods[0]).toBe(first.objects.pods[0]);
    expect(podsOf(second)).toEqual(['a ', 'b changed']);
  });

  it('answers two who look at once', async () => {
    const world = aWarmWorld();
    await world.lookWarm();
    world.cluster.apply(aPod('a'));
    const both = await Promise.all([world.lookWarm(), world.lookWarm()]);

    expect(both.map(podsOf)).toEqual([['a '], ['a ']]);
  });
});

const name = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ do: fc.constant('pod' as const), name, app: name }),
  fc.record({ do: fc.constant('class' as const), name, app: name }),
  fc.record({
    do: fc.constant('remove' as const),
    kind: fc.constantFrom('Pod', 'PriorityClass'),
    name,
  }),
  fc.record({ do: fc.constant('flood' as const) }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 50, 100) }),
  fc.record({
    do: fc.constant('look' as const),
    faults: fc.array(fc.record({ afterLines: fc.nat(4), how: fc.constantFrom('ends', 'breaks') }), {
      maxLength: 6,
    }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(world: WarmWorld, each: Step): Promise<void> {
  switch (each.do) {
    case 'pod':
      world.cluster.apply(aPod(each.name, { app: each.app }));
      return;
    case 'class':
      world.cluster.apply(aClass(each.name, each.app));
      return;
    case 'remove':
      world.cluster.remove(each.kind, each.kind === 'Pod' ? 'default' : '', each.name);
      return;
    case 'flood':
      for (let at = 0; at < 110; at += 1) world.cluster.apply(aPod('flood', { app: `${at}` }));
      return;
    case 'wait':
      await world.wait(each.seconds);
      return;
    case 'look':
      expect(sorted(await world.lookWarm(each.faults))).toEqual(sorted(await world.lookCold()));
  }
}

it('a warm look sees what a cold one sees, whatever happened and wherever streams end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = aWarmWorld();
      await world.lookWarm();
      for (const each of steps) await take(world, each);
      await take(world, { do: 'look', faults: [] });
    }),
    { numRuns: 60 },
  );
});
