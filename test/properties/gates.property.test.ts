import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { BufferTarget } from '#lib/model/capacity-buffer.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aCapacityBuffer } from '#test/build/capacity-buffers.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, M5_TYPES } from '#test/build/instance-types.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodeOverlay } from '#test/build/node-overlays.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { aNamespacedMeta } from '#test/build/objects.ts';
import { aPod, aRunningPod, somePods } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const ofPool = (name: string, pool: string, type = 'm5.large') => {
  const labels = {
    'karpenter.sh/nodepool': pool,
    'node.kubernetes.io/instance-type': type,
  };
  const providerId = `aws:///us-east-1a/i-${name}`;
  return aStateNode({
    node: aNode({ meta: { name, labels }, providerId }),
    claim: aNodeClaim({
      meta: { name: `c-${name}`, labels },
      status: { nodeName: name, providerId },
    }),
    pods: [aRunningPod({ meta: { name: `on-${name}` }, requests: { cpu: 100 } })],
  });
};
const target = (kind: BufferTarget['kind']): BufferTarget => ({
  kind,
  meta: aNamespacedMeta('web'),
  replicas: 4,
  pod: aPod({ meta: { name: 'web' } }),
});

/** Nodes whose price nobody knows, overlays in conflict, static pools with too many and too few nodes, buffers, a purse. */
const BUSY: Snapshot = aSnapshot({
  settings: someSettings({
    featureGates: ['CapacityBuffer', 'NodeOverlay', 'StaticCapacity'],
    limitUsdPerHour: 4,
  }),
  catalog: aCatalog(M5_TYPES),
  nodePools: [
    aNodePool(),
    aNodePool({ meta: { name: 'many' }, replicas: 1 }),
    aNodePool({ meta: { name: 'few' }, replicas: 2 }),
    aNodePool({ meta: { name: 'fewer' }, replicas: 9, limits: { nodes: 2 } }),
  ],
  nodes: [
    ...['a', 'b', 'c'].map((name) => ofPool(name, 'many')),
    ...['d', 'e', 'f'].map((name) => ofPool(name, 'default', 'x9.unknown')),
  ],
  pods: [...somePods(5), ...somePods(2, { meta: { name: 'huge' }, requests: { cpu: 64_000 } })],
  nodeOverlays: ['x', 'y', 'z'].map((name) =>
    aNodeOverlay({
      meta: { name },
      requirements: [spec(`karpenter.sh/nodepool In ${name === 'x' ? 'few' : 'default'}`)],
      priceAdjustment: name === 'z' ? '-10%' : '+1',
    }),
  ),
  capacityBuffers: [
    aCapacityBuffer({ meta: { name: 'one' }, podTemplate: 'web', replicas: 3 }),
    aCapacityBuffer({ meta: { name: 'two' }, podTemplate: 'gone', replicas: 3 }),
    aCapacityBuffer({
      meta: { name: 'three' },
      scalable: { kind: 'Deployment', name: 'web' },
      percentage: 50,
    }),
  ],
  bufferTargets: [target('PodTemplate'), target('Deployment')],
});

const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...list], { minLength: list.length });

it('what stands behind gates comes to the same Plan in whatever order it is listed', () => {
  const expected = JSON.stringify(decideProvision(BUSY));
  const plan = decideProvision(BUSY);
  expect(plan.buffers).toHaveLength(3);
  expect(plan.commands).toHaveLength(2);
  expect(plan.nodeClaims.some(({ nodePool }) => nodePool === 'few')).toBe(true);
  expect(plan.warnings.length).toBeGreaterThan(1);

  fc.assert(
    fc.property(
      fc.record({
        nodePools: shuffled(BUSY.nodePools),
        nodes: shuffled(BUSY.nodes),
        pods: shuffled(BUSY.pods),
        nodeOverlays: shuffled(BUSY.nodeOverlays),
        capacityBuffers: shuffled(BUSY.capacityBuffers),
        bufferTargets: shuffled(BUSY.bufferTargets),
      }),
      (lists) => {
        expect(JSON.stringify(decideProvision({ ...BUSY, ...lists }))).toBe(expected);
      },
    ),
    { numRuns: 40 },
  );
});
