import { describe, expect, it } from 'vitest';
import {
  aDeployment,
  aNodeManifest,
  aPodManifest,
  aSmallCluster,
  callerOf,
  MERGE,
  type SmallCluster,
} from '#test/build/small-cluster.ts';

const nodeOf = ({ cluster }: SmallCluster, name: string) =>
  cluster.all('Pod').find(({ metadata }) => metadata.name === name)?.spec.nodeName;
const reasonOf = ({ cluster }: SmallCluster, name: string) =>
  cluster
    .all('Pod')
    .find(({ metadata }) => metadata.name === name)
    ?.status.conditions?.find(({ type }) => type === 'PodScheduled');
const perNode = ({ cluster }: SmallCluster) => {
  const counts: Record<string, number> = {};
  for (const { spec } of cluster.all('Pod')) {
    counts[spec.nodeName ?? ''] = (counts[spec.nodeName ?? ''] ?? 0) + 1;
  }
  return counts;
};

/** A cluster with Nodes that have no kubelets: pods are bound there and stay Pending. */
async function withNodes(...nodes: readonly object[]) {
  const world = aSmallCluster();
  for (const node of nodes) world.cluster.apply(node);
  await world.wait(1);
  return world;
}

const asking = (cpu: string) => [{ name: 'c', resources: { requests: { cpu } } }];

describe('the scheduler', () => {
  it('says in cluster and in Events why it could not place a pod without nodes', async () => {
    const world = aSmallCluster();
    const failures: string[] = [];
    world.cluster.onChange(({ type, object }) => {
      if (object.kind === 'Event') failures.push(type);
    });
    world.cluster.apply(aPodManifest('p'));
    await world.wait(0.5);
    expect(reasonOf(world, 'p')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
    const [event] = world.cluster.list('Event');
    expect(event).toMatchObject({
      reason: 'FailedScheduling',
      type: 'Warning',
      involvedObject: { name: 'p' },
      reportingComponent: 'default-scheduler',
    });
    await world.wait(60);
    expect(failures).toEqual(['added', 'added', 'modified']);
  });

  it('counts the reasons of all nodes', async () => {
    const world = await withNodes(
      aNodeManifest('small', { allocatable: { cpu: '1' } }),
      aNodeManifest('tainted', { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }),
    );
    world.cluster.apply(aPodManifest('p', { containers: asking('2') }));
    await world.wait(1);
    expect(reasonOf(world, 'p')?.message).toBe(
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {gpu: yes}. ' +
        'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
  });

  it('tries again when a node comes, and when a pod leaves', async () => {
    const world = await withNodes(aNodeManifest('a', { allocatable: { cpu: '1' } }));
    world.cluster.apply(aPodManifest('first', { containers: asking('1') }));
    await world.wait(1);
    world.cluster.apply(aPodManifest('second', { containers: asking('1') }));
    world.cluster.apply(aPodManifest('third', { containers: asking('1') }));
    await world.wait(1);
    expect(nodeOf(world, 'second')).toBeUndefined();
    world.cluster.apply(aNodeManifest('b', { allocatable: { cpu: '1' } }));
    await world.wait(2);
    expect(nodeOf(world, 'second')).toBe('b');
    await callerOf(world)('DELETE', '/api/v1/namespaces/default/pods/first', {
      gracePeriodSeconds: 0,
    });
    await world.wait(1);
    expect(nodeOf(world, 'third')).toBe('a');
  });

  it('spreads equal pods over equal nodes', async () => {
    const world = await withNodes(...['a', 'b', 'c', 'd'].map((name) => aNodeManifest(name)));
    world.cluster.apply(aDeployment('web', 20));
    await world.wait(5);
    expect(perNode(world)).toEqual({ a: 5, b: 5, c: 5, d: 5 });
  });

  it('keeps to 50 writes a second after the burst', async () => {
    const world = aSmallCluster();
    world.cluster.apply(aDeployment('web', 1000));
    const marked = () =>
      world.cluster.all('Pod').filter(({ status }) => status.conditions !== undefined).length;
    await world.until(() => marked() === 1000);
    expect(world.seconds()).toBeGreaterThan(17);
    expect(world.seconds()).toBeLessThan(25);
  });

  it('does not touch gated pods, nor those of other schedulers', async () => {
    const world = await withNodes(aNodeManifest('a'));
    world.cluster.apply(aPodManifest('gated', { schedulingGates: [{ name: 'wait' }] }));
    world.cluster.apply(aPodManifest('other', { schedulerName: 'other' }));
    await world.wait(5);
    expect(nodeOf(world, 'gated')).toBeUndefined();
    expect(nodeOf(world, 'other')).toBeUndefined();
    expect(reasonOf(world, 'gated')?.reason).toBe('SchedulingGated');
  });

  describe('of nominations', () => {
    const nominate = (world: SmallCluster, pod: string, nominatedNodeName: string) =>
      callerOf(world)(
        'PATCH',
        `/api/v1/namespaces/default/pods/${pod}/status`,
        { status: { nominatedNodeName } },
        MERGE,
      );
    const cordoned = { taints: [{ key: 'startup', effect: 'NoSchedule' }] };
    const release = (world: SmallCluster, name: string) =>
      callerOf(world)('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } }, MERGE);
    const wishOf = ({ cluster }: SmallCluster, name: string) =>
      cluster.all('Pod').find(({ metadata }) => metadata.name === name)?.status.nominatedNodeName;

    it('reserves the room for the nominated pod against older ones', async () => {
      const world = await withNodes(aNodeManifest('n', { ...cordoned, allocatable: { cpu: '4' } }));
      world.cluster.apply(aPodManifest('b', { containers: asking('2') }));
      world.cluster.apply(aPodManifest('c', { containers: asking('1') }));
      world.cluster.apply(aPodManifest('a', { containers: asking('3') }));
      await world.wait(2);
      await nominate(world, 'a', 'n');
      await release(world, 'n');
      await world.wait(2);
      expect([nodeOf(world, 'a'), nodeOf(world, 'b'), nodeOf(world, 'c')]).toEqual([
        'n',
        undefined,
        'n',
      ]);
    });

    it('lands on the nominated node though scoring would choose another', async () => {
      const world = await withNodes(
        aNodeManifest('small', { ...cordoned, allocatable: { cpu: '1' } }),
        aNodeManifest('large', { ...cordoned, allocatable: { cpu: '64' } }),
      );
      world.cluster.apply(aPodManifest('p'));
      await world.wait(2);
      await nominate(world, 'p', 'small');
      await release(world, 'small');
      await release(world, 'large');
      await world.wait(2);
      expect(nodeOf(world, 'p')).toBe('small');
    });

    it('clears them at the next failed attempt, unless the pod never preempts', async () => {
      const world = await withNodes(aNodeManifest('far', cordoned));
      world.cluster.apply({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'calm' },
        value: 0,
        preemptionPolicy: 'Never',
      });
      world.cluster.apply(aPodManifest('bold'));
      world.cluster.apply(aPodManifest('calm', { priorityClassName: 'calm' }));
      await world.wait(2);
      await nominate(world, 'bold', 'later');
      await nominate(world, 'calm', 'later');
      await world.wait(5);
      expect(wishOf(world, 'bold')).toBe('later');
      world.cluster.apply(aNodeManifest('tiny', { allocatable: { pods: '0' } }));
      await world.wait(2);
      expect(wishOf(world, 'bold')).toBeUndefined();
      expect(wishOf(world, 'calm')).toBe('later');
      expect(reasonOf(world, 'calm')?.message).toContain('1 Too many pods');
    });

    it('clears them where there is no node at all', async () => {
      const world = aSmallCluster();
      world.cluster.apply(aPodManifest('p'));
      await world.wait(0.5);
      await nominate(world, 'p', 'later');
      expect(wishOf(world, 'p')).toBe('later');
      await world.wait(2);
      expect(wishOf(world, 'p')).toBeUndefined();
    });
  });

  describe('of rules', () => {
    const zone = (name: string, z: string) =>
      aNodeManifest(name, { labels: { 'topology.kubernetes.io/zone': z } });
    const web = { matchLabels: { app: 'web' } };

    it('keeps required spread', async () => {
      const world = await withNodes(zone('a1', 'a'), zone('a2', 'a'), zone('b1', 'b'));
      const constraint = {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: web,
      };
      const spread = { topologySpreadConstraints: [constraint] };
      world.cluster.apply(aDeployment('web', 6, { cpu: '1' }, spread));
      await world.wait(3);
      const counts = perNode(world);
      expect((counts.a1 ?? 0) + (counts.a2 ?? 0)).toBe(3);
      expect(counts.b1).toBe(3);
    });

    it('keeps required anti-affinity, also of pods that stand already', async () => {
      const world = await withNodes(zone('a', 'a'), zone('b', 'b'));
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: web };
      const apart = {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      };
      world.cluster.apply(aDeployment('web', 3, { cpu: '1' }, apart));
      await world.wait(3);
      expect(perNode(world)).toEqual({ a: 1, b: 1, '': 1 });
      world.cluster.apply(aPodManifest('plain', {}, { labels: { app: 'web' } }));
      await world.wait(1);
      expect(reasonOf(world, 'plain')?.message).toContain(
        "2 node(s) didn't satisfy existing pods anti-affinity rules",
      );
    });

    it('brings together what wants to be together, the first one anywhere', async () => {
      const world = await withNodes(zone('a', 'a'), zone('b', 'b'));
      const term = { topologyKey: 'topology.kubernetes.io/zone', labelSelector: web };
      const together = {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      };
      world.cluster.apply(aDeployment('web', 4, { cpu: '500m' }, together));
      await world.wait(3);
      expect(Object.values(perNode(world))).toEqual([4]);
    });

    it.each([
      [{ nodeSelector: { disk: 'ssd' } }, 'fast'],
      [{ tolerations: [{ key: 'gpu', operator: 'Exists' }], nodeSelector: { gpu: 'yes' } }, 'gpu'],
      [{ containers: asking('3') }, 'large'],
    ])('sends a pod with %o to the node that suits', async (spec, expected) => {
      const world = await withNodes(
        aNodeManifest('plain', { allocatable: { cpu: '2' } }),
        aNodeManifest('fast', { allocatable: { cpu: '2' }, labels: { disk: 'ssd' } }),
        aNodeManifest('large', { allocatable: { cpu: '4' } }),
        aNodeManifest('gpu', {
          labels: { gpu: 'yes' },
          taints: [{ key: 'gpu', effect: 'NoSchedule' }],
        }),
      );
      world.cluster.apply(aPodManifest('p', spec));
      await world.wait(1);
      expect(nodeOf(world, 'p')).toBe(expected);
    });

    it('gives a host port once per node', async () => {
      const world = await withNodes(aNodeManifest('a'), aNodeManifest('b'));
      const containers = [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }];
      for (const name of ['p', 'q', 'r']) world.cluster.apply(aPodManifest(name, { containers }));
      await world.wait(1);
      expect(perNode(world)).toEqual({ a: 1, b: 1, '': 1 });
    });

    it('puts a pod where its volume stands, and a volume where its first consumer does', async () => {
      const world = await withNodes(zone('a', 'a'), zone('b', 'b'));
      world.cluster.apply({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'gp3' },
        provisioner: 'ebs.csi.aws.com',
        volumeBindingMode: 'WaitForFirstConsumer',
      });
      world.cluster.apply({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { storageClassName: 'gp3', resources: { requests: { storage: '1Gi' } } },
      });
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
      world.cluster.apply(
        aPodManifest('first', { volumes, nodeSelector: { 'topology.kubernetes.io/zone': 'b' } }),
      );
      await world.wait(1);
      world.cluster.apply(aPodManifest('second', { volumes }));
      world.cluster.apply(
        aPodManifest('third', { volumes, nodeSelector: { 'topology.kubernetes.io/zone': 'a' } }),
      );
      await world.wait(1);
      expect([nodeOf(world, 'first'), nodeOf(world, 'second'), nodeOf(world, 'third')]).toEqual([
        'b',
        'b',
        undefined,
      ]);
    });
  });

  it('tries pods of higher priority first', async () => {
    const world = aSmallCluster();
    world.cluster.apply({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
    });
    for (const name of ['low1', 'low2'])
      world.cluster.apply(aPodManifest(name, { containers: asking('1') }));
    world.cluster.apply(
      aPodManifest('high', { containers: asking('1'), priorityClassName: 'high' }),
    );
    world.cluster.apply(aNodeManifest('a', { allocatable: { cpu: '1' } }));
    await world.wait(5);
    expect(nodeOf(world, 'high')).toBe('a');
  });
});
