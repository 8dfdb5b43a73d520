import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeObjects } from '#lib/kube/decode/decode.ts';
import { assemble } from '#lib/observe/assemble.ts';
import { joinNodes } from '#lib/observe/join-nodes.ts';
import { anInstance } from '#test/build/instances.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode } from '#test/build/nodes.ts';
import { aNamespacedMeta } from '#test/build/objects.ts';
import { aDaemonSet, aPod } from '#test/build/pods.ts';
import { someSettings } from '#test/build/snapshots.ts';
import { aWireNodePool, aWirePod, wireMeta } from '#test/build/wire-objects.ts';

const instance = (id: string) => `aws:///us-east-1a/${id}`;
const claim = (name: string, providerId?: string) =>
  aNodeClaim({ meta: { name, uid: name }, status: providerId === undefined ? {} : { providerId } });
const { providerId: _none, ...unlaunchedStatus } = claim('x').status;
const unlaunched = (name: string) => ({ ...claim(name), status: unlaunchedStatus });

describe('joinNodes', () => {
  it('joins a Node and its NodeClaim on the provider id, whatever their names', () => {
    const node = aNode({ meta: { name: 'ip-1' }, providerId: instance('i-1') });
    const { nodes } = joinNodes([node], [claim('default-a', instance('i-1'))], []);

    expect(nodes).toMatchObject([{ name: 'ip-1', claim: { meta: { name: 'default-a' } } }]);
  });

  it('keeps what has only one half, by name', () => {
    const stranger = aNode({ meta: { name: 'b' }, providerId: instance('i-9') });
    const { nodes } = joinNodes([stranger], [unlaunched('c'), claim('a', instance('i-2'))], []);

    expect(nodes.map(({ name, node }) => [name, node !== undefined])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ]);
  });

  it('gives a NodeClaim to one Node only, when two bear its provider id', () => {
    const twins = ['b', 'a'].map((name) => aNode({ meta: { name }, providerId: instance('i-1') }));
    const { nodes } = joinNodes(twins, [claim('default-a', instance('i-1'))], []);

    expect(nodes.map(({ name, claim: its }) => [name, its?.meta.name])).toEqual([
      ['a', 'default-a'],
      ['b', undefined],
    ]);
  });

  it('puts bound pods under their node, and the others aside', () => {
    const pods = [aPod({ meta: { name: 'b' } }), aPod({ meta: { name: 'a' }, nodeName: 'node-1' })];
    const joined = joinNodes([aNode()], [], pods);

    expect(joined.nodes[0]?.pods.map(({ meta }) => meta.name)).toEqual(['a']);
    expect(joined.pods.map(({ meta }) => meta.name)).toEqual(['b']);
  });
});

describe('assemble', () => {
  const catalog = {
    region: 'us-east-1',
    pricedAt: '2026-11-01',
    spotPricesAreEstimates: true,
    byNodeClass: new Map(),
  };
  const facts = {
    takenAt: 0,
    settings: someSettings(),
    catalog,
    soldOut: [],
    leftOut: [],
    nodeClassFacts: [],
  };

  /** Kinds of which nothing but the name is needed, and what the others cannot do without. */
  const KINDS: readonly (readonly [string, string, object?])[] = [
    ['karpenter.k8s.aws/v1', 'EC2NodeClass', { spec: {} }],
    ['apps/v1', 'DaemonSet', { spec: { template: { spec: aWirePod().spec } } }],
    ['policy/v1', 'PodDisruptionBudget', { spec: {} }],
    ['v1', 'PersistentVolumeClaim'],
    ['v1', 'PersistentVolume', { spec: {} }],
    ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'ebs.csi.aws.com' }],
    ['storage.k8s.io/v1', 'CSINode', { spec: { drivers: [] } }],
    ['storage.k8s.io/v1', 'VolumeAttachment', { spec: { nodeName: 'n' } }],
    ['v1', 'Namespace'],
    ['v1', 'Service', { spec: {} }],
    ['apps/v1', 'ReplicaSet', { spec: {} }],
    ['scheduling.k8s.io/v1', 'PriorityClass', { value: 7 }],
    ['karpenter.sh/v1alpha1', 'NodeOverlay', { spec: { requirements: [] } }],
    ['autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', { spec: {} }],
  ];

  const objects = ['a', 'b', 'c', 'd'].flatMap((name) => [
    aWirePod({ metadata: { name }, spec: name < 'c' ? { nodeName: 'n-a' } : {} }),
    aWireNodePool({ metadata: { name } }),
    { apiVersion: 'v1', kind: 'Node', metadata: wireMeta(`n-${name}`) },
    ...KINDS.map(([apiVersion, kind, fields]) => ({
      apiVersion,
      kind,
      metadata: wireMeta(name, { namespace: 'default' }),
      ...fields,
    })),
  ]);

  const soldOut = ['m5.large', 'c5.large'].flatMap((instanceType) =>
    ['us-east-1b', 'us-east-1a'].flatMap((zone) =>
      (['spot', 'on-demand'] as const).map((capacityType) => ({
        ...{ instanceType, zone, capacityType },
        until: 0,
      })),
    ),
  );
  const nodeClassFacts = ['b', 'a'].map((nodeClass) => ({
    nodeClass,
    subnets: [],
    securityGroups: [],
    images: [],
    instanceProfiles: [],
  }));
  const leftOut = ['Pod', 'Node'].flatMap((kind) =>
    ['b', 'a'].flatMap((name) =>
      ['y', 'x'].map((field) => ({
        object: { apiVersion: 'v1', kind, namespace: name, name },
        field,
        problem: '',
      })),
    ),
  );
  const instances = ['i-2', 'i-1'].map((id) => anInstance({ id }));
  const { pod } = aDaemonSet();
  const bufferTargets = (['PodTemplate', 'Deployment'] as const).flatMap((kind) =>
    ['b', 'a'].map((name) => ({ kind, meta: aNamespacedMeta(name), replicas: 1, pod })),
  );

  it('gives the same bytes in whatever order things were read', () => {
    const read = { soldOut, nodeClassFacts, leftOut, instances, bufferTargets };
    const snapshot = assemble(decodeObjects(objects).objects, { ...facts, ...read });
    for (const [field, value] of Object.entries(snapshot)) {
      if (Array.isArray(value)) expect(value.length, field).toBeGreaterThan(1);
    }
    const shuffled = <T>(list: readonly T[]) =>
      fc.shuffledSubarray([...list], { minLength: list.length });

    fc.assert(
      fc.property(
        shuffled(objects),
        fc.record({
          soldOut: shuffled(soldOut),
          nodeClassFacts: shuffled(nodeClassFacts),
          leftOut: shuffled(leftOut),
          instances: shuffled(instances),
          bufferTargets: shuffled(bufferTargets),
        }),
        (some, more) => {
          const again = assemble(decodeObjects(some).objects, { ...facts, ...more });
          expect(JSON.stringify(again)).toBe(JSON.stringify(snapshot));
        },
      ),
      { numRuns: 50 },
    );
  });
});
