import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectEmbedded } from '#lib/cli/embedded.ts';
import type { FunctionName, FunctionPorts } from '#lib/sim/stack.ts';
import type { World } from '#lib/sim/world.ts';
import { MINUTE, SECOND } from '#test/build/objects.ts';
import { anUnbegunWorld } from '#test/build/unbegun-world.ts';
import { readyPods } from '#test/build/what-runs.ts';

/** Whoever a sample names. */
const SAMPLE_ID = 'i-0123456789abcdef0';
const INFLATE = { kind: 'Deployment', name: 'inflate' } as const;

interface Call {
  readonly by: string;
  readonly name: string;
  readonly at: number;
}

/** Story 1, begun, with what its functions call; `breaks` tells which calls to the cluster fail. */
function aWorld(breaks: (by: string, path: string) => boolean = () => false) {
  const calls: Call[] = [];
  const hear = (ports: FunctionPorts): FunctionPorts => {
    const note = (name: string) => calls.push({ by: ports.functionName, name, at: ports.now() });
    return {
      ...ports,
      kube: async (request) => {
        note(`${request.method} ${request.path}`);
        if (breaks(ports.functionName, request.path)) return { status: 500, body: {} };
        return await ports.kube(request);
      },
      aws: async (name, input) => {
        note(name);
        return await ports.aws(name, input);
      },
    };
  };
  const { world, begin } = anUnbegunWorld({ connect: (ports) => connectEmbedded(hear(ports)) });
  begin();
  return { world, calls };
}

async function aRunningWorld(pods: number, breaks?: Parameters<typeof aWorld>[0]) {
  const { world, calls } = aWorld(breaks);
  world.scale(INFLATE, pods);
  expect(await world.runUntil(() => readyPods(world) === pods, 5 * MINUTE)).toBe(true);
  return { world, calls };
}

/** What a function returns to an event, as `sam local invoke` would print it. */
async function invoked(world: World, name: FunctionName, event: unknown): Promise<unknown> {
  let result: unknown;
  void world.invoke(name, event).then((ended) => {
    result = ended;
  });
  await world.runUntil(() => result !== undefined, 2 * MINUTE);
  expect(result).toMatchObject({ kind: 'returned' });
  return Object(result).value;
}

const text = (name: string): string => readFileSync(`events/${name}.json`, 'utf8');

/** A sample as the queue hands it over, about this instance. */
function handedOver(name: string, instanceId: string) {
  const [record] = JSON.parse(text('interruptions')).Records;
  const body = text(name).replaceAll(SAMPLE_ID, instanceId);
  return { Records: [{ ...record, messageId: name, body }] };
}

/** A NodeClaim that nobody is taking away, and the instance under it. */
function aClaim(world: World) {
  const claim = world.kubernetes
    .list('NodeClaim')
    .find(({ metadata }) => metadata.deletionTimestamp === undefined);
  const name = claim?.metadata.name ?? '';
  const instanceId =
    String(Object(Object(claim).status).providerID)
      .split('/')
      .at(-1) ?? '';
  return { instanceId, now: () => world.kubernetes.get('NodeClaim', '', name) };
}

const told = (world: World) => world.kubernetes.list('Event').map((event) => Object(event).reason);

describe('the samples of events, handed to the functions as Lambda does', () => {
  it('those of EC2 and AWS Health do what they announce', async () => {
    const { world } = await aRunningWorld(3);
    for (const [name, reason, goes] of [
      ['rebalance', 'SpotRebalanceRecommendation', false],
      ['scheduled-change', 'InstanceUnhealthy', false],
      ['spot-warning', 'SpotInterrupted', true],
      ['state-change', 'InstanceStopping', true],
      ['capacity-reservation', 'CapacityReservationInstanceInterrupted', true],
    ] as const) {
      await world.runUntil(() => readyPods(world) === 3, 5 * MINUTE);
      const { instanceId, now } = aClaim(world);
      const answer = await invoked(world, 'interrupt', handedOver(name, instanceId));

      expect([name, answer]).toEqual([name, { batchItemFailures: [] }]);
      expect(told(world)).toContain(reason);
      const isGoing = now() === undefined || JSON.stringify(now()).includes('deletionTimestamp');
      expect([name, isGoing]).toEqual([name, goes]);
    }
  });

  it.each([
    ['interruptions', 'interrupt', { batchItemFailures: [] }],
    ['heartbeat', 'provision', undefined],
    ['hints', 'provision', undefined],
    ['consolidate-schedule', 'consolidate', undefined],
    ['drift-schedule', 'drift', undefined],
    ['admission-review', 'admit', { statusCode: 200 }],
  ] as const)('%s is taken by %s', async (name, by, answer) => {
    const found = await invoked(aWorld().world, by, JSON.parse(text(name)));

    if (answer === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(answer);
  });
});

describe('the webhook', () => {
  it('has a pod seen within 2 s of becoming unschedulable', async () => {
    const { world, calls } = await aRunningWorld(1);
    const from = world.clock.now();
    world.scale(INFLATE, 20);
    const isSeen = ({ by, name, at }: Call) =>
      by === 'provision' && name === 'GET /api/v1/pods' && at > failedAt();
    const failedAt = () =>
      world.journal.entries.find(({ at, source }) => source === 'scheduler' && at >= from)?.at ??
      Number.POSITIVE_INFINITY;

    expect(await world.runUntil(() => calls.some(isSeen), 10 * SECOND)).toBe(true);
    expect((calls.find(isSeen)?.at ?? 0) - failedAt()).toBeLessThanOrEqual(2 * SECOND);
  });

  it('makes of a thousand events in 20 s a hint or two a second, a look for each at most, and answers in 50 ms', async () => {
    const { world, calls } = await aRunningWorld(1);
    const from = calls.length;
    const tookMs: number[] = [];
    // As fast as kube-scheduler writes them.
    for (let second = 0; second < 20; second += 1) {
      for (let event = 0; event < 50; event += 1) {
        const at = world.clock.now();
        const knock = world.invoke('admit', JSON.parse(text('admission-review')));
        void knock.then(() => tookMs.push(world.clock.now() - at));
        await world.run(20);
      }
    }
    await world.run(10 * SECOND);
    const since = calls.slice(from);
    const count = (who: string, what: string) =>
      since.filter(({ by, name }) => by === who && name === what).length;

    const hints = count('admit', 'SendMessage');

    expect(hints).toBeLessThanOrEqual(40);
    expect(count('provision', 'GET /api/v1/nodes')).toBeLessThanOrEqual(hints);
    expect(tookMs).toHaveLength(1_000);
    // Those of a cold sandbox excepted.
    expect(tookMs.filter((ms) => ms > 50).length).toBeLessThanOrEqual(10);
  });
});

describe('the queue of interruptions', () => {
  it('puts aside what cannot be done four times, and lets the rest through', async () => {
    const isDown = { value: false };
    const { world } = await aRunningWorld(
      2,
      (by, path) => isDown.value && by === 'interrupt' && path.endsWith('/nodeclaims'),
    );
    const { instanceId } = aClaim(world);
    isDown.value = true;
    world.queues.interruptions.send(text('spot-warning').replaceAll(SAMPLE_ID, instanceId));

    expect(
      await world.runUntil(() => world.queues.deadInterruptions.depth().visible === 1, 5 * MINUTE),
    ).toBe(true);

    isDown.value = false;
    world.queues.interruptions.send('<xml/>');
    world.queues.interruptions.send(text('spot-warning').replaceAll(SAMPLE_ID, instanceId));
    expect(await world.runUntil(() => told(world).includes('SpotInterrupted'), MINUTE)).toBe(true);
    expect(world.queues.deadInterruptions.depth().visible).toBe(1);
  });
});
