import { describe, expect, it } from 'vitest';
import { embeddedWith } from '#lib/cli/embedded.ts';
import type { Ailment } from '#lib/sim/aws/account.ts';
import type { World } from '#lib/sim/world.ts';
import { HOUR, MINUTE, SECOND } from '#test/build/objects.ts';
import { anUnbegunWorld } from '#test/build/unbegun-world.ts';
import { livingInstances, readyPods } from '#test/build/what-runs.ts';

const PODS = 3;

/** Story 1 with three pods that run, and the one instance under them. */
async function aRunningWorld(asksInstanceStatus: boolean) {
  const { world, begin } = anUnbegunWorld({ connect: embeddedWith({ asksInstanceStatus }) });
  begin();
  world.scale({ kind: 'Deployment', name: 'inflate' }, PODS);
  expect(await world.runUntil(() => readyPods(world) === PODS, 5 * MINUTE)).toBe(true);
  const [instance] = livingInstances(world);
  if (instance === undefined) throw new Error('expected an instance, found none');
  return {
    world,
    instance,
    ail: (ailment: Ailment) => world.aws.ail(instance.id, ailment),
    isReplaced: () => instance.state === 'terminated' && readyPods(world) === PODS,
  };
}

const told = (world: World) =>
  world.kubernetes.list('Event').map((event) => String(Object(event).reason));
const polls = (world: World): number => world.calls().DescribeInstanceStatus ?? 0;
const work = (startsAt: number, description = 'The instance is retired') => ({
  events: [{ code: 'instance-retirement', description, startsAt }],
});

describe('where the settings have EC2 asked how instances are', () => {
  it('one whose machine fails its check for two minutes is replaced by force', async () => {
    const { world, ail, isReplaced } = await aRunningWorld(true);
    world.apply([
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'none-may-go', namespace: 'default' },
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'inflate' } } },
      },
    ]);
    ail({ systemSince: world.clock.now() });

    expect(await world.runUntil(isReplaced, 110 * SECOND)).toBe(false);
    expect(await world.runUntil(isReplaced, 5 * MINUTE)).toBe(true);
    expect(told(world)).toContain('InstanceUnhealthy');
    expect(told(world)).toContain('TerminatingOnInterruption');
  });

  it('work that begins later takes a node away in time, and not where it is called off', async () => {
    const { world, instance, ail } = await aRunningWorld(true);
    const startsAt = world.clock.now() + 90 * MINUTE;
    ail(work(startsAt));
    await world.run(5 * MINUTE);
    expect(JSON.stringify(world.kubernetes.list('NodeClaim'))).toContain('maintenance-at');

    ail(work(startsAt, '[Canceled] The instance is retired'));
    await world.run(3 * MINUTE);
    expect(JSON.stringify(world.kubernetes.list('NodeClaim'))).not.toContain('maintenance-at');

    ail(work(startsAt));
    expect(await world.runUntil(() => instance.state === 'terminated', HOUR)).toBe(true);
    expect(startsAt - world.clock.now()).toBeGreaterThan(30 * MINUTE);
  });

  it('EC2 is asked three questions a minute, however many looks there are', async () => {
    const { world } = await aRunningWorld(true);
    const before = polls(world);
    for (let minute = 0; minute < 30; minute += 1) {
      // A burst in each minute, which wakes provision many times.
      world.scale({ kind: 'Deployment', name: 'inflate' }, minute % 2 === 0 ? 12 : PODS);
      await world.run(MINUTE);
    }

    expect((polls(world) - before) / 3).toBeGreaterThanOrEqual(28);
    expect((polls(world) - before) / 3).toBeLessThanOrEqual(31);
  });
});

it('EC2 is not asked where the settings do not say so, and what ails an instance is not known', async () => {
  const { world, instance, ail } = await aRunningWorld(false);
  ail({ systemSince: world.clock.now() });
  await world.run(10 * MINUTE);

  expect(polls(world)).toBe(0);
  expect(instance.state).toBe('running');
});
