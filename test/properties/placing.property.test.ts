import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import { spec, taint, tolerating } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType, M5_TYPES } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { GIB } from '#test/build/objects.ts';
import { aDaemonSet, aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { unsoundness } from '#test/conformance/soundness.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

const CATALOG = aCatalog([
  ...M5_TYPES,
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
]);

const line = fc.constantFrom(
  `${ZONE} In us-east-1a`,
  `${ZONE} NotIn us-east-1a`,
  `${CAPACITY_TYPE} In on-demand`,
  'kubernetes.io/arch In arm64',
  'karpenter.k8s.aws/instance-cpu Gt 3',
  'karpenter.k8s.aws/instance-family NotIn m5',
  'team In a',
  'team DoesNotExist',
  'nobody Exists',
);
const term = fc
  .array(line, { maxLength: 2 })
  .map((lines) => ({ matchExpressions: lines.map((text) => spec(text)), hasMatchFields: false }));

interface PodWish {
  readonly copies: number;
  readonly pod: Partial<Pod>;
}
const podWish: fc.Arbitrary<PodWish> = fc.record({
  copies: fc.integer({ min: 1, max: 12 }),
  pod: fc.record({
    requests: fc.record({
      pods: fc.constant(1),
      cpu: fc.constantFrom(0, 50, 400, 1500, 3900, 9000, 40_000),
      memory: fc.constantFrom(0, GIB / 4, GIB, 7 * GIB, 30 * GIB),
      'nvidia.com/gpu': fc.constantFrom(0, 0, 0, 1),
    }),
    nodeAffinity: fc.record({
      required: fc.array(term, { maxLength: 2 }),
      preferred: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), term }), {
        maxLength: 2,
      }),
    }),
    tolerations: fc.constantFrom([], [tolerating('dedicated')], [{ operator: 'Exists' as const }]),
    hostPorts: fc.constantFrom(
      [],
      [],
      [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }],
      [{ ip: '10.0.0.1', port: 80, protocol: 'TCP' as const }],
    ),
  }),
});

const podsOf = (wishes: readonly PodWish[]): Pod[] =>
  wishes.flatMap(({ copies, pod }, wish) =>
    Array.from({ length: copies }, (_, copy) =>
      aPod({ ...pod, meta: { name: `app-${wish}-${copy}` } }),
    ),
  );

const nodePool: fc.Arbitrary<Parameters<typeof aNodePool>[0]> = fc.record({
  weight: fc.constantFrom(0, 10),
  limits: fc.constantFrom({}, {}, { cpu: 20_000 }, { nodes: 2 }, { memory: 40 * GIB, cpu: 64_000 }),
  template: fc.record({
    labels: fc.constantFrom({}, { team: 'a' }),
    taints: fc.constantFrom(
      [],
      [],
      [taint('dedicated=x:NoSchedule')],
      [taint('dedicated=x:PreferNoSchedule')],
    ),
    requirements: fc.constantFrom(
      [],
      [spec('kubernetes.io/arch In amd64')],
      [spec('team In a b')],
      [spec(`${CAPACITY_TYPE} In spot`), spec('node.kubernetes.io/instance-type Exists', 3)],
      [spec('karpenter.k8s.aws/instance-family Exists', 2)],
    ),
  }),
});

const poolsOf = (differences: readonly Parameters<typeof aNodePool>[0][]): NodePool[] =>
  differences.map((difference, at) => aNodePool({ ...difference, meta: { name: `pool-${at}` } }));

const node = fc.record({
  cpu: fc.constantFrom(500, 2000, 16_000),
  tainted: fc.boolean(),
  busy: fc.boolean(),
});

const nodesOf = (wishes: readonly { cpu: number; tainted: boolean; busy: boolean }[]) =>
  wishes.map(({ cpu, tainted, busy }, at): StateNode => {
    const name = `node-${at}`;
    const pods = busy
      ? [aRunningPod({ meta: { name: `old-${at}` }, nodeName: name, requests: { cpu: 300 } })]
      : [];
    return anUnmanagedNode(
      aNode({
        meta: { name, labels: { 'karpenter.sh/nodepool': 'none' } },
        allocatable: { cpu, memory: 8 * GIB, pods: 10 },
        taints: tainted ? [taint('dedicated=x:NoSchedule')] : [],
      }),
      pods,
    );
  });

const cluster = fc.record({
  pods: fc.array(podWish, { maxLength: 6 }).map(podsOf),
  nodePools: fc.array(nodePool, { maxLength: 3 }).map(poolsOf),
  nodes: fc.array(node, { maxLength: 4 }).map(nodesOf),
  daemonSets: fc.constantFrom(
    [],
    [aDaemonSet()],
    [aDaemonSet({ pod: aPod({ requests: { cpu: 200 }, tolerations: [{ operator: 'Exists' }] }) })],
  ),
});

describe('placing', () => {
  it('is sound in every cluster', () => {
    fc.assert(
      fc.property(cluster, (difference) => {
        const snapshot = aSnapshot({ ...difference, catalog: CATALOG });

        expect(unsoundness(snapshot, place(snapshot))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('does not depend on the order in which anything stands', () => {
    fc.assert(
      fc.property(cluster, (difference) => {
        const snapshot = aSnapshot({ ...difference, catalog: CATALOG });
        const reversed = {
          ...snapshot,
          pods: snapshot.pods.toReversed(),
          nodes: snapshot.nodes.toReversed(),
          nodePools: snapshot.nodePools.toReversed(),
          daemonSets: snapshot.daemonSets.toReversed(),
          catalog: {
            ...snapshot.catalog,
            byNodeClass: new Map(
              [...snapshot.catalog.byNodeClass].map(([name, types]) => [name, types.toReversed()]),
            ),
          },
        };

        expect(JSON.stringify(place(reversed))).toBe(JSON.stringify(place(snapshot)));
      }),
      { numRuns: 60 },
    );
  });
});
