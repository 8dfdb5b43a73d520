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

const podNames = ({ cluster }: SmallCluster) =>
  cluster.list('Pod').map(({ metadata }) => metadata.name);
const running = ({ cluster }: SmallCluster) =>
  cluster.all('Pod').filter(({ status }) => status.phase === 'Running').length;

async function withMachines(count: number) {
  const world = aSmallCluster();
  for (let started = 0; started < count; started += 1) world.start();
  await world.wait(60);
  return world;
}

const templateOf = (app: string, spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }], ...spec },
});
const selectorOf = (app: string) => ({ matchLabels: { app } });

describe('a Deployment', () => {
  it('follows its replicas up and down', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aDeployment('web', 2));
    await world.wait(10);
    expect(running(world)).toBe(2);
    expect(world.cluster.scale('Deployment', 'default', 'web', 5)).toBe(true);
    await world.wait(10);
    expect(running(world)).toBe(5);
    world.cluster.scale('Deployment', 'default', 'web', 0);
    await world.wait(10);
    expect(podNames(world)).toEqual([]);
  });

  it('replaces its pods with enough of them up all the time', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aDeployment('web', 4));
    await world.wait(10);
    const before = podNames(world);
    let least = 4;
    let most = 4;
    world.cluster.onChange(() => {
      const pods = world.cluster
        .all('Pod')
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const ready = pods.filter(({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      least = Math.min(least, ready.length);
      most = Math.max(most, pods.length);
    });
    world.cluster.apply(aDeployment('web', 4, { cpu: '150m' }));
    await world.wait(60);
    const after = podNames(world);
    expect(after).toHaveLength(4);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    expect(least).toBe(3);
    expect(most).toBe(5);
  });

  it('takes its ReplicaSets and pods with it when it goes', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aDeployment('web', 3));
    await world.wait(10);
    world.cluster.remove('Deployment', 'default', 'web');
    await world.wait(10);
    expect(world.cluster.list('ReplicaSet')).toEqual([]);
    expect(podNames(world)).toEqual([]);
  });

  it('replaces a pod that was deleted', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aDeployment('web', 1));
    await world.wait(10);
    const [name = ''] = podNames(world);
    world.cluster.remove('Pod', 'default', name);
    await world.wait(10);
    expect(running(world)).toBe(1);
    expect(podNames(world)).not.toContain(name);
  });

  it('is refused where its selector does not select its pods', () => {
    const bad = aDeployment('web', 1);
    const spec = { ...bad.spec, selector: selectorOf('other') };
    expect(aSmallCluster().cluster.apply({ ...bad, spec })).toMatchObject({
      result: 'refused',
      because: expect.stringContaining('`selector` does not match template `labels`'),
    });
  });
});

describe('a StatefulSet', () => {
  const aSet = (replicas: number, more: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: { replicas, selector: selectorOf('db'), template: templateOf('db'), ...more },
  });

  it('goes up in order and down in reverse', async () => {
    const world = await withMachines(1);
    const seen: string[] = [];
    world.cluster.onChange(({ type, object }) => {
      if (object.kind === 'Pod' && type !== 'modified')
        seen.push(`${type} ${object.metadata.name}`);
    });
    world.cluster.apply(aSet(3));
    await world.wait(0.2);
    expect(podNames(world)).toEqual(['db-0']);
    await world.wait(20);
    world.cluster.scale('StatefulSet', 'default', 'db', 1);
    await world.wait(20);
    expect(seen).toEqual([
      'added db-0',
      'added db-1',
      'added db-2',
      'deleted db-2',
      'deleted db-1',
    ]);
  });

  it('claims a volume for each pod, and finds it again', async () => {
    const world = await withMachines(1);
    world.cluster.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'gp3',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'ebs.csi.aws.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };
    world.cluster.apply(aSet(1, { volumeClaimTemplates: [claim] }));
    await world.wait(10);
    const bound = world.cluster.get('PersistentVolumeClaim', 'default', 'data-db-0');
    expect(bound?.status).toMatchObject({ phase: 'Bound' });
    world.cluster.remove('Pod', 'default', 'db-0');
    await world.wait(10);
    expect(running(world)).toBe(1);
    expect(world.cluster.list('PersistentVolume')).toHaveLength(1);
  });
});

describe('a Job', () => {
  it('runs as many pods at once as it may until enough have succeeded', async () => {
    const world = await withMachines(1);
    const template = templateOf('batch', { restartPolicy: 'Never' });
    const spec = { parallelism: 2, completions: 3, template };
    world.cluster.apply({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec });
    await world.wait(10);
    expect(running(world)).toBe(2);
    await world.wait(180);
    expect(world.cluster.get('Job', 'default', 'j')?.status).toMatchObject({
      succeeded: 3,
      active: 0,
      conditions: [{ type: 'Complete', status: 'True' }],
    });
    expect(podNames(world)).toHaveLength(3);
  });
});

describe('a DaemonSet', () => {
  const aSet = (spec: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'kube-system' },
    spec: { selector: selectorOf('agent'), template: templateOf('agent', spec) },
  });
  const placed = ({ cluster }: SmallCluster) => cluster.all('Pod').map(({ spec }) => spec.nodeName);

  it('has one pod on each node that suits, old or new', async () => {
    const world = aSmallCluster();
    world.cluster.apply(aNodeManifest('a', { labels: { disk: 'ssd' } }));
    world.cluster.apply(aNodeManifest('b'));
    world.cluster.apply(aSet({ nodeSelector: { disk: 'ssd' } }));
    await world.wait(2);
    expect(placed(world)).toEqual(['a']);
    world.cluster.apply(aNodeManifest('c', { labels: { disk: 'ssd' } }));
    await world.wait(2);
    expect(placed(world).sort()).toEqual(['a', 'c']);
  });

  it('replaces a pod only when the one before it is gone', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aSet());
    await world.wait(10);
    let most = 0;
    world.cluster.onChange(() => {
      most = Math.max(most, podNames(world).length);
    });
    const [name = ''] = podNames(world);
    world.cluster.remove('Pod', 'kube-system', name);
    await world.wait(10);
    expect(running(world)).toBe(1);
    expect(podNames(world)).not.toContain(name);
    expect(most).toBe(1);
  });

  it('passes over nodes with taints, but for those of a node in trouble', async () => {
    const world = aSmallCluster();
    world.cluster.apply(aNodeManifest('a', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }));
    world.cluster.apply(
      aNodeManifest('b', {
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
      }),
    );
    world.cluster.apply(aSet());
    await world.wait(2);
    expect(placed(world)).toEqual(['b']);
  });
});

describe('a NoExecute taint', () => {
  it('drives out what does not tolerate it, at once or when its time is over', async () => {
    const world = await withMachines(1);
    const toleration = { key: 'stop', operator: 'Exists' };
    world.cluster.apply(aPodManifest('now'));
    world.cluster.apply(
      aPodManifest('later', { tolerations: [{ ...toleration, tolerationSeconds: 60 }] }),
    );
    world.cluster.apply(aPodManifest('never', { tolerations: [toleration] }));
    await world.wait(10);
    const taint = { spec: { taints: [{ key: 'stop', effect: 'NoExecute' }] } };
    await callerOf(world)('PATCH', '/api/v1/nodes/ip-10-0-0-1.ec2.internal', taint, MERGE);
    await world.wait(0.3);
    const leaving = world.cluster
      .all('Pod')
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(leaving.map(({ metadata }) => metadata.name)).toEqual(['now']);
    await world.wait(30);
    expect(podNames(world)).toEqual(['later', 'never']);
    await world.wait(60);
    expect(podNames(world)).toEqual(['never']);
  });
});

describe('the garbage collector', () => {
  it('deletes what names an owner that does not exist', async () => {
    const world = aSmallCluster();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'gone' }];
    const metadata = { name: 'm', ownerReferences };
    world.cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await world.wait(1);
    expect(world.cluster.list('ConfigMap')).toEqual([]);
  });

  it('leaves orphans be where that was asked', async () => {
    const world = await withMachines(1);
    world.cluster.apply(aDeployment('web', 2));
    await world.wait(5);
    await callerOf(world)('DELETE', '/apis/apps/v1/namespaces/default/deployments/web', {
      propagationPolicy: 'Orphan',
    });
    await world.wait(5);
    expect(podNames(world)).toHaveLength(2);
  });
});

describe('a Node that is deleted under its pods', () => {
  it('has them collected after about a minute', async () => {
    const world = aSmallCluster();
    world.cluster.apply(aNodeManifest('a'));
    world.cluster.apply(aPodManifest('p'));
    await world.wait(5);
    world.cluster.remove('Node', '', 'a');
    await world.wait(40);
    expect(podNames(world)).toEqual(['p']);
    await world.wait(21);
    expect(podNames(world)).toEqual([]);
  });
});
