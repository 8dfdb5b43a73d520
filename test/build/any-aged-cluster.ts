/** Clusters whose nodes are half empty, with everything that consent knows, for laws about disruption. */
import fc from 'fast-check';
import { CONSOLIDATABLE } from '#lib/model/condition-types.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anAffinityTerm, aPodWish, podsOf, seldom } from './any-pod.ts';
import { spec } from './constraints.ts';
import { aCatalog, anInstanceType, M5_TYPES } from './instance-types.ts';
import { aNodeClaim, conditionsUpTo } from './node-claims.ts';
import { aCondition, aNodePool } from './node-pools.ts';
import { aNode, aStateNode } from './nodes.ts';
import { aMeta, GIB, NOON, ownedBy } from './objects.ts';
import { aDaemonSet, aPodDisruptionBudget, aRunningPod } from './pods.ts';
import { aSnapshot, someSettings } from './snapshots.ts';

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const SMALL = Array.from({ length: 16 }, (_, at) =>
  anInstanceType(`c${at + 5}.large`, { cpu: 2, memoryGib: 8, usdPerHour: 0.05 + at / 500 }),
);
const TYPES = [
  ...M5_TYPES,
  anInstanceType('r5.xlarge', { cpu: 4, memoryGib: 32, zones: ['us-east-1b'], usdPerHour: 0.25 }),
  anInstanceType('c6g.4xlarge', { cpu: 16, memoryGib: 32, usdPerHour: 0.5 }),
];
const catalogs = [aCatalog(TYPES), aCatalog([...TYPES, ...SMALL])];

const protections = seldom<Record<string, string>>(
  {},
  fc.constantFrom(
    { 'karpenter.sh/do-not-disrupt': 'true' },
    { 'karpenter.sh/do-not-disrupt': '2h' },
    { 'karpenter.sh/do-not-disrupt': '5m' },
    { 'karpenter.sh/do-not-disrupt': 'no' },
  ),
  12,
);

const runner = fc.record({
  app: fc.constantFrom('a', 'b', 'c', 'd'),
  cpu: fc.constantFrom(50, 200, 500, 900, 2_500),
  memoryGib: fc.constantFrom(0.25, 0.5, 1, 3),
  annotations: protections,
  away: seldom([], fc.array(anAffinityTerm, { minLength: 1, maxLength: 1 }), 6),
  ready: fc.constantFrom('True' as const, 'True' as const, 'False' as const),
  controller: seldom<'ReplicaSet' | 'StatefulSet' | 'DaemonSet'>(
    'ReplicaSet',
    fc.constantFrom('StatefulSet' as const, 'DaemonSet' as const),
  ),
  isGoing: seldom(false, fc.constant(true), 12),
});
type Runner = typeof runner extends fc.Arbitrary<infer T> ? T : never;

const node = fc.record({
  type: fc.constantFrom(...TYPES, ...M5_TYPES.slice(1)),
  zone: fc.constantFrom(...ZONES),
  capacityType: fc.constantFrom('on-demand' as const, 'on-demand' as const, 'spot' as const),
  pool: fc.constantFrom(0, 0, 1),
  trouble: seldom<'notReady' | 'going' | 'young' | 'restless' | 'protected' | undefined>(
    undefined,
    fc.constantFrom('notReady', 'going', 'young', 'restless', 'protected'),
  ),
  runners: fc.array(runner, { maxLength: 5 }),
});
type NodeWish = typeof node extends fc.Arbitrary<infer T> ? T : never;

const SETTLED = [...conditionsUpTo('Initialized'), aCondition(CONSOLIDATABLE)];

function nodeOf(wish: NodeWish, at: number): StateNode {
  const { type, capacityType, pool, trouble, runners } = wish;
  const zone = type.name === 'r5.xlarge' ? 'us-east-1b' : wish.zone;
  const name = `node-${at}`;
  const labels = {
    'karpenter.sh/nodepool': `pool-${pool}`,
    'karpenter.sh/capacity-type': capacityType,
    'node.kubernetes.io/instance-type': type.name,
    'topology.kubernetes.io/zone': zone,
    'kubernetes.io/hostname': name,
    ...(trouble === 'young' && { 'karpenter.sh/initialized': 'false' }),
  };
  const providerId = `aws:///${zone}/i-${at}`;
  const { capacity, allocatable } = type;
  const annotations = trouble === 'protected' ? { 'karpenter.sh/do-not-disrupt': 'true' } : {};
  const isSettled = trouble !== 'restless' && trouble !== 'young';
  return aStateNode({
    node: aNode({
      meta: { name, uid: name, labels, annotations },
      providerId,
      capacity,
      allocatable,
      ready: { status: trouble === 'notReady' ? 'False' : 'True', changedAt: NOON - 60_000 },
    }),
    claim: aNodeClaim({
      meta: {
        name: `claim-${at}`,
        uid: `claim-${at}`,
        labels,
        ...(trouble === 'going' && { deletedAt: NOON }),
      },
      status: {
        nodeName: name,
        providerId,
        capacity,
        allocatable,
        conditions: isSettled
          ? SETTLED
          : conditionsUpTo(trouble === 'young' ? 'Registered' : 'Initialized'),
        ...(trouble === 'restless' && { lastPodEventAt: NOON - 10_000 }),
      },
    }),
    pods: fitting(runners, allocatable.cpu ?? 0).map((each, index) => podOf(each, name, index)),
  });
}

/** The first runners that a node holds. */
function fitting(runners: readonly Runner[], cpu: number): readonly Runner[] {
  let used = 200;
  return runners.filter((each) => {
    if (used + each.cpu > cpu) return false;
    used += each.cpu;
    return true;
  });
}

const podOf = (wish: Runner, nodeName: string, at: number): Pod =>
  aRunningPod({
    meta: {
      name: `on-${nodeName}-${at}`,
      uid: `on-${nodeName}-${at}`,
      labels: { app: wish.app },
      annotations: wish.annotations,
      owners: [ownedBy(wish.controller)],
      ...(wish.isGoing && { deletedAt: NOON }),
    },
    nodeName,
    requests: { cpu: wish.cpu, memory: wish.memoryGib * GIB },
    podAntiAffinity: { required: wish.away, preferred: [] },
    ready: wish.ready,
  });

const nodePool: fc.Arbitrary<Parameters<typeof aNodePool>[0]> = fc.record({
  limits: fc.constantFrom({}, {}, { nodes: 6 }, { cpu: 40_000 }),
  template: fc.record({
    requirements: fc.constantFrom(
      [],
      [],
      [spec('karpenter.sh/capacity-type In on-demand')],
      [spec('node.kubernetes.io/instance-type Exists', 2)],
    ),
  }),
  disruption: fc.record({
    consolidationPolicy: fc.constantFrom(
      'WhenEmptyOrUnderutilized' as const,
      'WhenEmptyOrUnderutilized' as const,
      'WhenEmpty' as const,
      'Balanced' as const,
    ),
    consolidateAfter: fc.constantFrom(0, 0, 60_000, 'Never' as const),
    budgets: fc.constantFrom(
      [{ nodes: '100%' }],
      [],
      [{ nodes: '10%' }],
      [{ nodes: '2' }, { nodes: '1', reasons: ['Underutilized' as const] }],
      [{ nodes: '0', reasons: ['Empty' as const] }],
    ),
  }),
});

const pdb = fc
  .record({
    app: fc.constantFrom('a', 'b', 'c'),
    allowed: fc.constantFrom(0, 1, 1, 2),
    unhealthy: fc.constantFrom('IfHealthyBudget' as const, 'AlwaysAllow' as const),
  })
  .map(({ app, allowed, unhealthy }) => ({ app, allowed, unhealthy }));

/** Up to seven nodes in two NodePools, and what consent there is to move their pods. */
export const anyAgedCluster: fc.Arbitrary<Snapshot> = fc
  .record({
    catalog: fc.constantFrom(...catalogs),
    pools: fc.tuple(nodePool, nodePool),
    nodes: fc.array(node, { minLength: 2, maxLength: 7 }),
    budgets: fc.array(pdb, { maxLength: 2 }),
    waiting: seldom([], fc.array(aPodWish, { maxLength: 2 })),
    hasDaemons: fc.boolean(),
    isOpen: fc.boolean(),
  })
  .map(({ catalog, pools, nodes, budgets, waiting, hasDaemons, isOpen }) =>
    aSnapshot({
      catalog,
      settings: someSettings(isOpen ? { featureGates: ['SpotToSpotConsolidation'] } : {}),
      nodePools: pools.map(
        (each, at): NodePool => aNodePool({ ...each, meta: { name: `pool-${at}` } }),
      ),
      nodes: nodes.map(nodeOf),
      pods: podsOf(waiting),
      daemonSets: hasDaemons ? [aDaemonSet()] : [],
      podDisruptionBudgets: budgets.map(({ app, allowed, unhealthy }, at) =>
        aPodDisruptionBudget({
          meta: { name: `pdb-${at}` },
          selector: { matchLabels: { app }, matchExpressions: [] },
          disruptionsAllowed: allowed,
          unhealthyPodEvictionPolicy: unhealthy,
        }),
      ),
      namespaces: [{ meta: aMeta('default') }, { meta: aMeta('far', { labels: { tier: 'far' } }) }],
    }),
  );
