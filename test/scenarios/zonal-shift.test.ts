import { expect, it } from 'vitest';
import { embeddedWith } from '#lib/cli/embedded.ts';
import type { World } from '#lib/sim/world.ts';
import { MINUTE } from '#test/build/objects.ts';
import { anUnbegunWorld } from '#test/build/unbegun-world.ts';
import { livingInstances, readyPods } from '#test/build/what-runs.ts';

/** Story 1 in a cluster that takes part in zonal shifts. */
function aWorld(): World {
  const zonalShiftArn = 'arn:aws:eks:us-east-1:111122223333:cluster/demo';
  const { world, begin } = anUnbegunWorld({ connect: embeddedWith({ zonalShiftArn }) });
  begin();
  return world;
}

const scale = (world: World, replicas: number): void =>
  world.scale({ kind: 'Deployment', name: 'inflate' }, replicas);

it('a zone that traffic is shifted away from gets no nodes, and keeps those that it has', async () => {
  const world = aWorld();
  scale(world, 3);
  expect(await world.runUntil(() => readyPods(world) === 3, 5 * MINUTE)).toBe(true);
  const before = livingInstances(world);
  const zone = before[0]?.zone ?? '';

  const shift = world.aws.shiftAway({ zone });
  await world.run(MINUTE);
  scale(world, 12);
  expect(await world.runUntil(() => readyPods(world) === 12, 5 * MINUTE)).toBe(true);
  const during = livingInstances(world).filter(({ id }) => !before.some((old) => old.id === id));
  expect(during.length).toBeGreaterThan(0);
  expect(during.map((each) => each.zone)).not.toContain(zone);
  const told = world.kubernetes.list('Event').map((event) => Object(event).reason);
  expect(told).toContain('ZonalShiftActive');

  // All pods go: elsewhere the nodes do, too, and there they stay until the shift is over.
  scale(world, 0);
  await world.run(10 * MINUTE);
  const kept = before.filter((each) => each.zone === zone).map(({ id }) => id);
  expect(livingInstances(world).map(({ id }) => id)).toEqual(kept);
  expect(JSON.stringify(world.kubernetes.list('NodeClaim'))).not.toContain('deletionTimestamp');

  shift.end();
  expect(await world.runUntil(() => livingInstances(world).length === 0, 10 * MINUTE)).toBe(true);
});

it('a shift that AWS begins by itself counts like one of a person', async () => {
  const world = aWorld();
  for (const zone of ['us-east-1a', 'us-east-1b']) world.aws.shiftAway({ zone, by: 'AWS' });
  scale(world, 5);
  expect(await world.runUntil(() => readyPods(world) === 5, 5 * MINUTE)).toBe(true);
  expect(new Set(livingInstances(world).map(({ zone }) => zone))).toEqual(new Set(['us-east-1c']));
});
