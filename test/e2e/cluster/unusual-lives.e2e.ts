import { describe, expect, it } from 'vitest';
import { deployments } from '#test/build/placement.ts';
import type { KubeObject } from '../stack/cluster-client.ts';
import { until } from '../stack/control-plane.ts';
import { type RealWorld, realWorld } from '../stack/real-world.ts';
import { claimPath, givePool, instanceOf, runningPods, untilRunning } from '../stack/scene.ts';

const PODS = 4;
const NEVER_REGISTERS_MS = 15 * 60_000;
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
const claimsIn = ({ cluster }: RealWorld) => cluster.list('NodeClaim');

/** The same conditions, as if they had stood for that much longer. */
const aged = ({ status }: KubeObject, ms: number): readonly object[] =>
  status.conditions.map((one: { readonly lastTransitionTime: string }) => ({
    ...one,
    lastTransitionTime: new Date(Date.parse(one.lastTransitionTime) - ms).toISOString(),
  }));

describe('on a real control plane', () => {
  it('an instance whose kubelet never registers is given back, and another takes its place', async () => {
    let first = '';
    const staysAway = ({ InstanceId = '' }): boolean => {
      if (first === '') first = InstanceId;
      return InstanceId === first;
    };
    const world = await realWorld({ bridge: { staysAway } });
    const { cluster } = world;
    try {
      await givePool(world);
      for (const object of deployments(PODS)) await cluster.apply(object);
      const waiting = (claim: KubeObject): boolean =>
        JSON.stringify(claim.status?.conditions ?? []).includes('NodeNotFound');
      await until(
        async () => (await claimsIn(world)).some(waiting),
        60_000,
        () => 'a NodeClaim says that its Node is missing',
      );
      const [lost] = await claimsIn(world);
      if (lost === undefined) throw new Error('expected a NodeClaim');
      expect(instanceOf(lost)).toBe(first);
      expect(await cluster.list('Node')).toEqual([]);

      // A quarter of an hour passes for this NodeClaim.
      const conditions = aged(lost, NEVER_REGISTERS_MS);
      await cluster.patch(`${claimPath(lost)}/status`, { status: { conditions } });
      await untilRunning(world, PODS);
      await until(
        async () => {
          const claims = await claimsIn(world);
          const living = await world.bridge.living();
          return !names(claims).includes(lost.metadata.name) && !living.includes(first);
        },
        60_000,
        () => 'the NodeClaim is gone, and its instance',
      );
      const nodes = await cluster.list('Node');
      expect(await world.bridge.living()).toHaveLength(nodes.length);
      expect(await claimsIn(world)).toHaveLength(nodes.length);
    } finally {
      await world.end();
    }
  });

  it('of two NodeClaims with one instance one goes, and its node lives on', async () => {
    const world = await realWorld();
    const { cluster } = world;
    try {
      await givePool(world);
      for (const object of deployments(PODS)) await cluster.apply(object);
      await untilRunning(world, PODS);
      const [node, ...others] = await cluster.list('Node');
      const [claim] = await claimsIn(world);
      if (node === undefined || claim === undefined) throw new Error('expected a node');
      expect(others).toEqual([]);
      const pods = (await runningPods(world)).map(({ metadata }) => metadata.uid).sort();

      await world.joinery().kill();
      await makeTwin(world, claim);
      await world.start();
      await until(
        async () => !names(await claimsIn(world)).includes(TWIN),
        60_000,
        () => 'the other NodeClaim is gone',
      );
      const told = await cluster.list('Event');
      expect(told.filter(({ reason }) => reason === 'InstanceHeldTwice')).toMatchObject([
        { regarding: { name: TWIN } },
      ]);
      expect(names(await claimsIn(world))).toEqual([claim.metadata.name]);
      const stays = (await cluster.list('Node')).map(({ metadata }) => metadata);
      expect(stays).toMatchObject([{ uid: node.metadata.uid }]);
      expect(stays[0]?.deletionTimestamp).toBeUndefined();
      expect((await runningPods(world)).map(({ metadata }) => metadata.uid).sort()).toEqual(pods);

      // Deleted by hand while it has two again, the Node takes both along, and its instance.
      await world.joinery().kill();
      await makeTwin(world, claim);
      await cluster.remove(`/api/v1/nodes/${node.metadata.name}`);
      await world.start();
      await until(
        async () => {
          const left = [...(await claimsIn(world)), ...(await cluster.list('Node'))];
          const isGone = !left.some(({ metadata }) =>
            [TWIN, claim.metadata.name, node.metadata.name].includes(metadata.name),
          );
          return isGone && !(await world.bridge.living()).includes(instanceOf(claim));
        },
        120_000,
        () => 'node, NodeClaims and instance are gone',
      );
      await untilRunning(world, PODS);
      expect(await world.bridge.living()).toHaveLength((await cluster.list('Node')).length);
    } finally {
      await world.end();
    }
  });
});

const TWIN = 'default-twin';

/** Another NodeClaim for the instance of this one, as a person might make it of a backup. */
async function makeTwin({ cluster }: RealWorld, { metadata, spec, status }: KubeObject) {
  const twin = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: TWIN,
      labels: metadata.labels,
      finalizers: ['karpenter.sh/termination'],
    },
    spec,
  };
  await cluster.apply(twin);
  await cluster.patch(`${claimPath(twin)}/status`, { status });
}
