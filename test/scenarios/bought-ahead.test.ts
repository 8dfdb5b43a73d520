import { expect, it } from 'vitest';
import type { World } from '#lib/sim/world.ts';
import { HOUR, MINUTE } from '#test/build/objects.ts';
import { anUnbegunWorld, BEGINNING } from '#test/build/unbegun-world.ts';

type Wire = Readonly<Record<string, unknown>>;

const REQUIREMENTS = [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved', 'on-demand'] },
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large', 'c5.large'] },
];

/** Story 1 with nodes for a pod each, before anything was applied; `nodeClass` adds to the class. */
const aWorld = (nodeClass: Wire) =>
  anUnbegunWorld({
    change: (object) => {
      const spec = Object(Object(object).spec);
      if (object.kind === 'EC2NodeClass') return { ...object, spec: { ...spec, ...nodeClass } };
      if (object.kind !== 'NodePool') return object;
      const template = { ...spec.template.spec, requirements: REQUIREMENTS };
      return {
        ...object,
        spec: { ...spec, limits: {}, template: { ...spec.template, spec: template } },
      };
    },
  });

const scale = (world: World, replicas: number): void =>
  world.scale({ kind: 'Deployment', name: 'inflate' }, replicas);

const nodesBy = (world: World, label: string): readonly string[] =>
  world.kubernetes
    .list('Node')
    .map((node) => String(Object(Object(Object(node).metadata).labels)[label] ?? ''))
    .sort();

const untilRegistered = async (world: World, nodes: number): Promise<void> => {
  const all = Array.from({ length: nodes }, () => 'true').join();
  const isSo = () => nodesBy(world, 'karpenter.sh/registered').join() === all;
  expect(await world.runUntil(isSo, 5 * MINUTE)).toBe(true);
};

const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id';
const MINE = { team: 'inflate' };

it('nodes come from a reservation first, as many as it has, and more do not come from it', async () => {
  const { world, begin } = aWorld({ capacityReservationSelectorTerms: [{ tags: MINE }] });
  const odcr = world.aws.reserve({
    ...{ type: 'm5.large', zone: 'us-east-1a', instances: 3 },
    tags: MINE,
  });
  begin();
  scale(world, 2);
  await untilRegistered(world, 2);
  expect(nodesBy(world, RESERVATION)).toEqual([odcr.id, odcr.id]);
  expect(odcr.left()).toBe(1);

  // At once, long before anybody asks EC2 again what the reservation has left.
  scale(world, 5);
  await untilRegistered(world, 5);
  expect(nodesBy(world, RESERVATION)).toEqual(['', '', odcr.id, odcr.id, odcr.id]);
  const refused = world.journal.entries.filter(({ text }) => text.includes('ReservationCapacity'));
  expect(refused).toEqual([]);
});

it('nodes of a reservation that is cancelled are told to be on demand', async () => {
  const { world, begin } = aWorld({ capacityReservationSelectorTerms: [{ tags: MINE }] });
  const odcr = world.aws.reserve({
    ...{ type: 'm5.large', zone: 'us-east-1a', instances: 1 },
    tags: MINE,
  });
  begin();
  scale(world, 1);
  const bought = () => nodesBy(world, 'karpenter.sh/capacity-type').join();
  expect(await world.runUntil(() => bought() === 'reserved', 5 * MINUTE)).toBe(true);
  odcr.cancel();
  expect(await world.runUntil(() => bought() === 'on-demand', 15 * MINUTE)).toBe(true);
});

it('nodes of a capacity block are let go before EC2 takes them', async () => {
  const { world, begin } = aWorld({ capacityReservationSelectorTerms: [{ tags: MINE }] });
  world.aws.reserve({
    ...{ type: 'm5.large', zone: 'us-east-1a', instances: 1, kind: 'capacity-block', tags: MINE },
    endsAt: BEGINNING + HOUR,
  });
  begin();
  scale(world, 1);
  const types = () => nodesBy(world, 'karpenter.k8s.aws/capacity-reservation-type').join();
  expect(await world.runUntil(() => types() === 'capacity-block', 5 * MINUTE)).toBe(true);
  // Forty minutes before the end, ten before EC2 would take it.
  expect(await world.runUntil(() => types() === '', 25 * MINUTE)).toBe(true);
  const [inTheBlock] = world.aws.machines();
  expect(inTheBlock?.stateReason?.Code).toBe('Client.UserInitiatedShutdown');
  await untilRegistered(world, 1);
  expect(nodesBy(world, RESERVATION)).toEqual(['']);
});

it('nodes stand in the placement group that is selected', async () => {
  const { world, begin } = aWorld({ placementGroupSelector: { name: 'racks' } });
  const group = world.aws.makePlacementGroup({ name: 'racks', strategy: 'partition' });
  begin();
  scale(world, 2);
  const groups = () => nodesBy(world, 'karpenter.k8s.aws/placement-group-id');
  await untilRegistered(world, 2);
  expect(groups()).toEqual([group, group]);
  expect(world.aws.machines().map(({ placement }) => placement?.group.id)).toEqual([group, group]);
  const told = nodesBy(world, 'karpenter.k8s.aws/placement-group-partition');
  const stands = world.aws.machines().map(({ placement }) => String(placement?.partition));
  expect(told).toEqual(stands.sort());
});
