/** Clusters with everything that placement knows, for laws that hold in every cluster. */
import fc from 'fast-check';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anAffinityTerm, aPodWish, podsOf, seldom, someTaints } from './any-pod.ts';
import { spec, taint } from './constraints.ts';
import { aCatalog, anInstanceType, M5_TYPES } from './instance-types.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from './node-claims.ts';
import { aNodePool } from './node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from './nodes.ts';
import { aMeta, GIB, NOON, ownedBy } from './objects.ts';
import { aDaemonSet, aPod, aRunningPod } from './pods.ts';
import { withReservation } from './reservations.ts';
import { aSnapshot, someSettings } from './snapshots.ts';
import { aBoundClaim, aCsiNode, aStorageClass, aVolume, aVolumeClaim, inZones } from './volumes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

const OTHER_TYPES = [
  anInstanceType('c6g.large', { cpu: 2, memoryGib: 4, arch: 'arm64', usdPerHour: 0.07 }),
  anInstanceType('c6g.4xlarge', { cpu: 16, memoryGib: 32, arch: 'arm64', usdPerHour: 0.5 }),
  anInstanceType('r5.xlarge', { cpu: 4, memoryGib: 32, zones: ['us-east-1b'], usdPerHour: 0.25 }),
  anInstanceType('g4dn.xlarge', {
    cpu: 4,
    memoryGib: 16,
    usdPerHour: 0.53,
    more: { 'nvidia.com/gpu': 1 },
    soldOut: ['us-east-1a/spot'],
  }),
];

const catalog = fc.constantFrom(
  aCatalog([...M5_TYPES, ...OTHER_TYPES]),
  aCatalog(M5_TYPES),
  aCatalog([
    anInstanceType('m5.large', { soldOut: ZONES.map((zone) => `${zone}/spot`) }),
    anInstanceType('m5.2xlarge', {
      cpu: 8,
      pods: 58,
      soldOut: ['us-east-1c/on-demand', 'us-east-1c/spot'],
    }),
    ...OTHER_TYPES,
  ]),
  aCatalog([
    ...M5_TYPES,
    ...OTHER_TYPES,
    withReservation(anInstanceType('m6i.xlarge', { cpu: 4, usdPerHour: 0.21 }), 2),
  ]),
);

const nodePool: fc.Arbitrary<Parameters<typeof aNodePool>[0]> = fc.record({
  weight: fc.constantFrom(0, 0, 10),
  limits: fc.constantFrom(
    {},
    {},
    {},
    { cpu: 20_000 },
    { nodes: 2 },
    { memory: 40 * GIB, cpu: 64_000 },
  ),
  template: fc.record({
    labels: fc.constantFrom({}, { team: 'a' }, { rack: 'r1' }),
    taints: someTaints,
    startupTaints: fc.constantFrom([], [taint('starting=x:NoSchedule')]),
    requirements: fc.constantFrom(
      [],
      [],
      [spec('kubernetes.io/arch In amd64')],
      [spec('team In a b')],
      [spec('rack In r1 r2')],
      [spec(`${ZONE} In us-east-1a us-east-1b`)],
      [spec(`${CAPACITY_TYPE} In spot`), spec('node.kubernetes.io/instance-type Exists', 3)],
      [spec(`${CAPACITY_TYPE} In on-demand reserved`)],
      [spec('karpenter.k8s.aws/instance-family Exists', 2)],
    ),
  }),
});

const poolsOf = (differences: readonly Parameters<typeof aNodePool>[0][]): NodePool[] =>
  differences.map((difference, at) => aNodePool({ ...difference, meta: { name: `pool-${at}` } }));

const runner = fc.record({
  app: fc.constantFrom('a', 'b', 'c'),
  namespace: seldom('default', fc.constant('far')),
  cpu: fc.constantFrom(100, 300, 300),
  away: seldom([], fc.array(anAffinityTerm, { minLength: 1, maxLength: 1 })),
  volumes: seldom<Pod['volumes']>([], fc.constant([{ volume: 'v', claimName: 'in-a' }])),
  hostPorts: seldom<Pod['hostPorts']>(
    [],
    fc.constant([{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }]),
  ),
  controller: fc.constantFrom('ReplicaSet' as const, 'StatefulSet' as const, 'DaemonSet' as const),
});
type Runner = typeof runner extends fc.Arbitrary<infer T> ? T : never;

const node = fc.record({
  cpu: fc.constantFrom(500, 2000, 16_000),
  zone: fc.constantFrom(...ZONES),
  rack: seldom<string | undefined>(undefined, fc.constantFrom('r1', 'r2', 'r3'), 2),
  taints: someTaints,
  stage: fc.constantFrom(
    'unmanaged' as const,
    'unmanaged' as const,
    'initialized' as const,
    'starting' as const,
    'launched' as const,
    'new' as const,
    'going' as const,
  ),
  runners: fc.array(runner, { maxLength: 3 }),
});
type NodeWish = typeof node extends fc.Arbitrary<infer T> ? T : never;

const runningOn = (name: string, runners: readonly Runner[]): Pod[] =>
  runners.map(({ app, namespace, cpu, away, volumes, hostPorts, controller }, at) =>
    aRunningPod({
      meta: {
        name: `old-${name}-${at}`,
        namespace,
        labels: { app },
        owners: [ownedBy(controller)],
      },
      nodeName: name,
      requests: { cpu },
      podAntiAffinity: { required: away, preferred: [] },
      volumes,
      hostPorts,
    }),
  );

function nodeOf(wish: NodeWish, at: number): StateNode {
  const { cpu, zone, rack, taints, stage, runners } = wish;
  const name = `node-${at}`;
  const providerId = `aws:///${zone}/i-${at}`;
  const allocatable = { cpu, memory: 8 * GIB, pods: 10 };
  const labels = { 'karpenter.sh/nodepool': 'pool-0', [ZONE]: zone, ...(rack && { rack }) };
  const status = { providerId, nodeName: name, capacity: allocatable, allocatable };
  const named = { name: `claim-${at}`, labels };
  if (stage === 'new') {
    const requirements = [spec('node.kubernetes.io/instance-type In m5.large m5.2xlarge')];
    const { [ZONE]: _zone, ...known } = labels;
    const made = aNewClaim({
      meta: { name: named.name, labels: known },
      spec: { requirements, taints },
    });
    const unset = Object.fromEntries(
      Object.entries(made.meta.labels).filter(([key]) => !SETTLED_AT_LAUNCH.includes(key)),
    );
    return anInFlightNode({ ...made, meta: { ...made.meta, labels: unset } });
  }
  if (stage === 'launched') {
    const conditions = conditionsUpTo('Launched');
    return anInFlightNode(
      aNodeClaim({ meta: named, spec: { taints }, status: { ...status, conditions } }),
    );
  }
  const young = { 'karpenter.sh/initialized': 'false' };
  const starting = taint('starting=x:NoSchedule');
  const real = aNode({
    meta: { name, labels: { ...labels, ...(stage === 'starting' && young) } },
    providerId,
    capacity: allocatable,
    allocatable,
    taints: stage === 'starting' ? [...taints, starting] : taints,
  });
  const pods = runningOn(name, runners);
  if (stage === 'unmanaged') return anUnmanagedNode(real, pods);
  const going = stage === 'going' ? { deletedAt: NOON } : {};
  const claim = aNodeClaim({
    meta: { ...named, ...going },
    spec: { taints, startupTaints: [starting] },
    status,
  });
  return aStateNode({ node: real, claim, pods });
}

/** Labels that a NodeClaim has only when its instance is known. */
const SETTLED_AT_LAUNCH = [
  ZONE,
  CAPACITY_TYPE,
  'node.kubernetes.io/instance-type',
  'kubernetes.io/arch',
  'kubernetes.io/os',
];

const BC = ['us-east-1b', 'us-east-1c'];
const only = (name: string, zones: readonly string[]) =>
  aStorageClass({ meta: { name }, allowedTopologies: [[{ key: ZONE, values: zones }]] });

/** The claims that pods of these clusters take volumes through. */
const VOLUMES = {
  persistentVolumeClaims: [
    aBoundClaim({ meta: { name: 'in-a' } }),
    aBoundClaim({ meta: { name: 'in-b-or-c' } }),
    aVolumeClaim({ meta: { name: 'waits' } }),
    aVolumeClaim({ meta: { name: 'waits-in-a' }, storageClassName: 'only-a' }),
    aVolumeClaim({ meta: { name: 'waits-in-b-or-c' }, storageClassName: 'only-b-or-c' }),
    aVolumeClaim({ meta: { name: 'at-once' }, storageClassName: 'immediate' }),
  ],
  persistentVolumes: [
    aVolume({ meta: { name: 'pv-in-a' }, nodeAffinity: inZones('us-east-1a') }),
    aVolume({ meta: { name: 'pv-in-b-or-c' }, nodeAffinity: inZones(...BC) }),
  ],
  storageClasses: [
    aStorageClass(),
    only('only-a', ['us-east-1a']),
    only('only-b-or-c', BC),
    aStorageClass({ meta: { name: 'immediate' }, bindingMode: 'Immediate' }),
  ],
};

const daemonSets = fc.constantFrom(
  [],
  [],
  [aDaemonSet()],
  [aDaemonSet({ pod: aPod({ requests: { cpu: 200 }, tolerations: [{ operator: 'Exists' }] }) })],
  [aDaemonSet({ pod: aPod({ requests: { cpu: 700 }, nodeSelector: { [ZONE]: 'us-east-1a' } }) })],
);

/** Small clusters, up to some 40 pods, each with a few features of all that there are. */
export const anyCluster: fc.Arbitrary<Snapshot> = fc
  .record({
    catalog,
    daemonSets,
    wishes: fc.array(aPodWish, { maxLength: 6 }),
    pools: fc.array(nodePool, { maxLength: 3 }),
    nodes: fc.array(node, { maxLength: 4 }),
    attachable: fc.constantFrom(0, 1, 2),
    policies: fc.record({
      minValuesPolicy: fc.constantFrom('Strict' as const, 'BestEffort' as const),
      preferencePolicy: fc.constantFrom('Respect' as const, 'Respect' as const, 'Ignore' as const),
    }),
  })
  .map(({ wishes, pools, nodes, attachable, policies, ...rest }) =>
    aSnapshot({
      ...rest,
      ...VOLUMES,
      settings: someSettings(policies),
      pods: podsOf(wishes),
      nodePools: poolsOf(pools),
      nodes: nodes.map(nodeOf),
      csiNodes: attachable === 0 ? [] : [aCsiNode('node-0', attachable)],
      namespaces: [{ meta: aMeta('default') }, { meta: aMeta('far', { labels: { tier: 'far' } }) }],
    }),
  );
