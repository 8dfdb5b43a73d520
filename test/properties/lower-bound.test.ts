import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anUnmanagedNode } from '#test/build/nodes.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** Something that could be bought for pods, in plain numbers. */
interface Offer {
  readonly room: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly usdPerHour: number;
}

const offersOf = (types: readonly InstanceType[], pools: readonly NodePool[]): readonly Offer[] =>
  pools.flatMap(({ meta }) =>
    types.flatMap(({ allocatable, offerings }) =>
      offerings
        .filter(({ available }) => available)
        .map(({ zone, capacityType, usdPerHour }) => ({
          room: allocatable,
          labels: {
            [ZONE]: zone,
            [CAPACITY_TYPE]: capacityType,
            'karpenter.sh/nodepool': meta.name,
          },
          usdPerHour,
        })),
    ),
  );

/** Whether these pods can share what is offered. */
function fitTogether(pods: readonly Pod[], { room, labels }: Pick<Offer, 'room' | 'labels'>) {
  const names = new Set(pods.flatMap(({ requests }) => Object.keys(requests)));
  const isRoomy = [...names].every((name) => {
    const asked = pods.reduce((sum, { requests }) => sum + (requests[name] ?? 0), 0);
    return asked <= (room[name] ?? 0);
  });
  const isWanted = pods.every(({ nodeSelector }) =>
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value),
  );
  return isRoomy && isWanted;
}

/** What it costs at the very least to place all pods: every way to share nodes is tried. */
function leastCost(
  pods: readonly Pod[],
  offers: readonly Offer[],
  hosts: readonly Offer[],
): number {
  const everybody = (1 << pods.length) - 1;
  const chosen = (set: number): readonly Pod[] => pods.filter((_, at) => set & (1 << at));
  const priceOf = Array.from({ length: everybody + 1 }, (_, set) =>
    offers.reduce(
      (least, offer) =>
        offer.usdPerHour < least && fitTogether(chosen(set), offer) ? offer.usdPerHour : least,
      Number.POSITIVE_INFINITY,
    ),
  );
  const onNew: number[] = [0];
  for (let set = 1; set <= everybody; set++) {
    let least = Number.POSITIVE_INFINITY;
    for (let part = set; part > 0; part = (part - 1) & set) {
      least = Math.min(least, (priceOf[part] ?? 0) + (onNew[set ^ part] ?? 0));
    }
    onNew.push(least);
  }
  const afterHosts = (set: number, left: readonly Offer[]): number => {
    const [host, ...others] = left;
    if (!host) return onNew[set] ?? 0;
    let least = afterHosts(set, others);
    for (let part = set; part > 0; part = (part - 1) & set) {
      if (fitTogether(chosen(part), host)) {
        least = Math.min(least, afterHosts(set ^ part, others));
      }
    }
    return least;
  };
  return afterHosts(everybody, hosts);
}

const somePod = fc.record({
  requests: fc.record({
    cpu: fc.constantFrom(100, 250, 900, 1500, 3000),
    memory: fc.constantFrom(GIB / 8, GIB, 3 * GIB, 9 * GIB),
    'nvidia.com/gpu': fc.constantFrom(0, 0, 0, 1, 2),
  }),
  nodeSelector: fc.constantFrom<Record<string, string>[]>(
    {},
    {},
    { [ZONE]: 'us-east-1a' },
    { [CAPACITY_TYPE]: 'on-demand' },
  ),
});

const someType = fc.record({
  cpu: fc.constantFrom(1, 2, 4, 7),
  memoryGib: fc.constantFrom(2, 5, 16),
  pods: fc.constantFrom(2, 8),
  cents: fc.integer({ min: 1, max: 60 }),
  gpus: fc.constantFrom(0, 0, 1, 3),
  soldOut: fc.constantFrom([], [], ['us-east-1a/spot', 'us-east-1b/spot']),
});

const someCluster = fc.record({
  pods: fc.array(somePod, { minLength: 1, maxLength: 5 }),
  types: fc.array(someType, { minLength: 1, maxLength: 4 }),
  weights: fc.constantFrom([0], [0, 0], [10, 0]),
  hosts: fc.array(fc.constantFrom(500, 2000), { maxLength: 1 }),
});

type ClusterWish = typeof someCluster extends fc.Arbitrary<infer Wish> ? Wish : never;

function clusterOf({ pods, types, weights, hosts }: ClusterWish) {
  const sold = types.map(({ cpu, memoryGib, pods: most, cents, gpus, soldOut }, at) =>
    anInstanceType(`t${at}.large`, {
      cpu,
      memoryGib,
      pods: most,
      usdPerHour: cents / 100,
      zones: ['us-east-1a', 'us-east-1b'],
      soldOut,
      more: gpus > 0 ? { 'nvidia.com/gpu': gpus } : {},
    }),
  );
  const nodePools = weights.map((weight, at) =>
    aNodePool({ weight, meta: { name: `pool-${at}` } }),
  );
  const nodes = hosts.map((cpu, at): StateNode => {
    const allocatable = { cpu, memory: 4 * GIB, pods: 3 };
    const meta = { name: `node-${at}` };
    return anUnmanagedNode(aNode({ meta, allocatable, capacity: allocatable }));
  });
  const snapshot: Snapshot = aSnapshot({
    catalog: aCatalog(sold),
    nodePools,
    nodes,
    pods: pods.map((pod, at) => aPod({ ...pod, meta: { name: `web-${at}` } })),
  });
  const rooms = nodes.map(({ node }) => ({
    room: node?.allocatable ?? {},
    labels: node?.meta.labels ?? {},
    usdPerHour: 0,
  }));
  return { snapshot, offers: offersOf(sold, nodePools), rooms };
}

describe('the lower bound', () => {
  it('is never above what the best of all plans adds', () => {
    fc.assert(
      fc.property(someCluster, (wish) => {
        const { snapshot, offers, rooms } = clusterOf(wish);
        const { usdPerHour, lowerBoundUsdPerHour, refused } = place(snapshot);
        const unplaced = new Set(refused.map(({ pod }) => pod));
        const placed = snapshot.pods.filter(({ meta }) => !unplaced.has(`default/${meta.name}`));
        const least = leastCost(placed, offers, rooms);

        expect(lowerBoundUsdPerHour).toBeLessThanOrEqual(least + 1e-9);
        expect(usdPerHour).toBeGreaterThanOrEqual(least - 1e-9);
      }),
      { numRuns: 300 },
    );
  });

  it('knows that pods which need four GPUs at once cannot use types that have one', () => {
    const types = [
      anInstanceType('g4dn.xlarge', { cpu: 4, usdPerHour: 0.1, more: { 'nvidia.com/gpu': 1 } }),
      anInstanceType('g4dn.12xlarge', { cpu: 48, usdPerHour: 4, more: { 'nvidia.com/gpu': 4 } }),
    ];
    const pods = [1, 2, 3].map((at) =>
      aPod({ meta: { name: `train-${at}` }, requests: { cpu: 1000, 'nvidia.com/gpu': 4 } }),
    );

    const { usdPerHour, lowerBoundUsdPerHour } = place(
      aSnapshot({ catalog: aCatalog(types), pods }),
    );

    expect(usdPerHour).toBeCloseTo(3 * 4 * 0.4);
    expect(lowerBoundUsdPerHour).toBeCloseTo(usdPerHour, 6);
  });

  it('counts what is left of a node in whole pods of one size', () => {
    const pods = Array.from({ length: 10 }, (_, at) =>
      aPod({ meta: { name: `web-${at}` }, requests: { cpu: 1500, memory: GIB } }),
    );
    const catalog = aCatalog([anInstanceType('m5.large', { cpu: 2, memoryGib: 64 })]);

    const { usdPerHour, lowerBoundUsdPerHour } = place(aSnapshot({ catalog, pods }));

    expect(lowerBoundUsdPerHour).toBeCloseTo(usdPerHour, 6);
  });

  it('does without NodePools that nobody may pass a heavier one for', () => {
    const heavy = aNodePool({
      weight: 10,
      meta: { name: 'heavy' },
      template: { requirements: [spec(`${CAPACITY_TYPE} In on-demand`)] },
    });
    const light = aNodePool({ meta: { name: 'light' } });
    const pods = [aPod({ requests: { cpu: 2000 } })];

    const { usdPerHour, lowerBoundUsdPerHour } = place(
      aSnapshot({ nodePools: [heavy, light], pods }),
    );

    expect(lowerBoundUsdPerHour).toBeCloseTo(usdPerHour, 6);
  });
});
