import { describe, expect, it } from 'vitest';
import {
  aDeployment,
  aPodManifest,
  aSmallCluster,
  M5_LARGE,
  nodeConfigFor,
  type SmallCluster,
} from '#test/build/small-cluster.ts';

const theNode = ({ cluster }: SmallCluster) => cluster.all('Node')[0];
const conditionOf = (world: SmallCluster, type: string) =>
  theNode(world)?.status.conditions?.find((condition) => condition.type === type);
const isUp = (world: SmallCluster) => conditionOf(world, 'Ready')?.status === 'True';
const podOf = ({ cluster }: SmallCluster, name: string) =>
  cluster.all('Pod').find(({ metadata }) => metadata.name === name);

describe('a kubelet', () => {
  it('joins after its boot time, not ready, with all that its user data says', async () => {
    const world = aSmallCluster();
    const { settings } = world.cluster;
    const userData = nodeConfigFor(settings, {
      config: {
        maxPods: 20,
        registerWithTaints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
      },
      flags: ['--node-labels="karpenter.sh/nodepool=default,team=a"'],
    });
    world.start({ userData });
    await world.until(() => theNode(world) !== undefined);
    expect(world.seconds()).toBeGreaterThanOrEqual(25);
    expect(world.seconds()).toBeLessThanOrEqual(40);
    expect(theNode(world)).toMatchObject({
      metadata: {
        name: 'ip-10-0-0-1.ec2.internal',
        labels: {
          'karpenter.sh/nodepool': 'default',
          team: 'a',
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/os': 'linux',
          'kubernetes.io/hostname': 'ip-10-0-0-1.ec2.internal',
        },
      },
      spec: { providerID: 'aws:///us-east-1a/i-00000000000000001' },
      status: { capacity: { cpu: '2', pods: '20' } },
    });
    expect(theNode(world)?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'karpenter.sh/unregistered:NoExecute',
      'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule',
      'node.kubernetes.io/not-ready:NoSchedule',
    ]);
    expect(isUp(world)).toBe(false);
  });

  it('is labelled by the cloud controller, becomes Ready, and loses the taints of its birth', async () => {
    const world = aSmallCluster();
    world.start();
    await world.until(() => isUp(world));
    await world.wait(1);
    expect(theNode(world)?.metadata.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'us-east-1a',
      'topology.kubernetes.io/region': 'us-east-1',
    });
    expect(theNode(world)?.spec.taints).toBeUndefined();
  });

  it.each([
    ['for another cluster', { name: 'other', endpoint: 'https://cluster.joinery.example' }, {}],
    ['for another endpoint', { name: 'joinery', endpoint: 'https://elsewhere' }, {}],
    [
      'with labels that a kubelet may not set',
      { name: 'joinery', endpoint: 'https://cluster.joinery.example' },
      { flags: ['--node-labels=node-restriction.kubernetes.io/a=b'] },
    ],
  ])('never joins %s, and the journal says why', async (_, cluster, kubelet) => {
    const world = aSmallCluster();
    world.start({ userData: nodeConfigFor(cluster, kubelet) });
    await world.wait(300);
    expect(theNode(world)).toBeUndefined();
    expect(world.journal.entries.map(({ text }) => text).join()).toContain('never joins: ');
  });

  it.each(['', '#!/bin/bash\n/etc/eks/bootstrap.sh joinery', 'kind: NodeConfig\n  bad: yaml: x'])(
    'never joins on user data %j',
    async (userData) => {
      const world = aSmallCluster();
      world.start({ userData });
      await world.wait(300);
      expect(theNode(world)).toBeUndefined();
    },
  );

  it('does not join when its machine ended while it booted', async () => {
    const world = aSmallCluster();
    const machine = world.start();
    await world.wait(10);
    machine.state = 'shutting-down';
    world.cluster.machineListener.stopping(machine);
    await world.wait(120);
    expect(theNode(world)).toBeUndefined();
  });

  it('shows GPUs some seconds after it is Ready', async () => {
    const world = aSmallCluster();
    const gpus = { manufacturer: 'NVIDIA', count: 4 };
    world.start({ type: { ...M5_LARGE, name: 'g4dn.12xlarge', gpus } });
    await world.until(() => isUp(world));
    expect(theNode(world)?.status.allocatable).not.toHaveProperty('nvidia.com/gpu');
    await world.wait(11);
    expect(theNode(world)?.status.allocatable).toMatchObject({
      'nvidia.com/gpu': '4',
      cpu: '1930m',
    });
  });

  it('starts pods, stops them, and ends those that have an end', async () => {
    const world = aSmallCluster();
    world.start();
    const short = [{ name: 'c', command: ['sleep', '30'] }];
    world.cluster.apply(aPodManifest('short', { containers: short, restartPolicy: 'Never' }));
    world.cluster.apply(aPodManifest('long'));
    await world.until(() => podOf(world, 'long')?.status.phase === 'Running');
    expect(podOf(world, 'long')?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
    await world.wait(35);
    expect(podOf(world, 'short')?.status.phase).toBe('Succeeded');
    world.cluster.remove('Pod', 'default', 'long');
    expect(podOf(world, 'long')?.metadata.deletionTimestamp).toBeDefined();
    await world.wait(2.5);
    expect(podOf(world, 'long')).toBeUndefined();
  });

  it('gives a stubborn pod its grace and no more', async () => {
    const world = aSmallCluster();
    world.start();
    const stubborn = { annotations: { 'sim.joinery.dev/stop-seconds': '600' } };
    world.cluster.apply(aPodManifest('p', { terminationGracePeriodSeconds: 20 }, stubborn));
    await world.until(() => podOf(world, 'p')?.status.phase === 'Running');
    world.cluster.remove('Pod', 'default', 'p');
    await world.wait(19);
    expect(podOf(world, 'p')).toBeDefined();
    await world.wait(2);
    expect(podOf(world, 'p')).toBeUndefined();
  });

  it('takes no pod that was bound to it without room', async () => {
    const world = aSmallCluster();
    world.start();
    await world.until(() => isUp(world));
    const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
    for (const name of ['a', 'b']) {
      world.cluster.apply(aPodManifest(name, { containers, nodeName: 'ip-10-0-0-1.ec2.internal' }));
    }
    await world.wait(5);
    expect(podOf(world, 'a')?.status.phase).toBe('Running');
    expect(podOf(world, 'b')?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
  });
});

describe('a machine that ends', () => {
  it('leaves a Node that stops answering, is tainted, and goes with its instance', async () => {
    const world = aSmallCluster();
    const machine = world.start();
    world.cluster.apply(aDeployment('web', 1));
    await world.until(() => world.cluster.all('Pod')[0]?.status.phase === 'Running');
    const since = world.seconds();
    machine.state = 'shutting-down';
    world.cluster.machineListener.stopping(machine);
    await world.wait(30);
    expect(isUp(world)).toBe(true);
    machine.state = 'terminated';
    world.cluster.machineListener.gone(machine);
    await world.until(() => conditionOf(world, 'Ready')?.status === 'Unknown');
    expect(world.seconds() - since).toBeGreaterThanOrEqual(40);
    expect(world.seconds() - since).toBeLessThanOrEqual(50);
    const [pod] = world.cluster.all('Pod');
    expect(pod?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False' }),
    );
    await world.wait(1);
    expect(theNode(world)?.spec.taints).toMatchObject([
      { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
    ]);
    await world.wait(5);
    expect(theNode(world)).toBeUndefined();
    await world.wait(61);
    expect(world.cluster.all('Pod').map(({ spec }) => spec.nodeName)).toEqual([undefined]);
  });

  it('leaves a Node with a finalizer until that is gone', async () => {
    const world = aSmallCluster();
    const machine = world.start();
    await world.until(() => isUp(world));
    const name = theNode(world)?.metadata.name;
    const metadata = { name, finalizers: ['karpenter.sh/termination'] };
    world.cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata });
    machine.state = 'terminated';
    world.cluster.machineListener.gone(machine);
    await world.wait(120);
    expect(theNode(world)?.metadata.deletionTimestamp).toBeDefined();
  });
});

describe('a kubelet that falls silent', () => {
  it('loses its pods after the five minutes that they tolerate, and they stay terminating', async () => {
    const world = aSmallCluster();
    world.start();
    world.cluster.apply(aDeployment('web', 1));
    await world.until(() => world.cluster.all('Pod')[0]?.status.phase === 'Running');
    world.cluster.silenceKubelet('ip-10-0-0-1.ec2.internal');
    await world.wait(300);
    expect(world.cluster.all('Pod')).toHaveLength(1);
    await world.wait(60);
    const [old, ...others] = world.cluster
      .all('Pod')
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(old?.spec.nodeName).toBe('ip-10-0-0-1.ec2.internal');
    expect(others).toEqual([]);
    expect(world.cluster.all('Pod')).toHaveLength(2);
  });
});
