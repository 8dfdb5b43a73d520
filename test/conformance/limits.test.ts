/**
 * What limits of NodePools allow, as upstream counts them (karpenter v1.14, provisioning/suite_test.go
 * and provisioning/scheduling/suite_test.go) but for what is said in the titles; and our own limits
 * in dollars.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim, aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aPod, somePods } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const TYPES = [
  anInstanceType('m5.large', { cpu: 2, pods: 5, usdPerHour: 0.1 }),
  anInstanceType('m5.xlarge', { cpu: 4, pods: 5, usdPerHour: 0.2 }),
];
const planOf = (difference: Partial<Snapshot>) =>
  place(aSnapshot({ catalog: aCatalog(TYPES), ...difference }));
const limited = (limits: Record<string, number>, difference = {}) =>
  aNodePool({ limits, ...difference });
const asking = (cpu: number, name = 'web') => aPod({ meta: { name }, requests: { cpu } });

describe('10.10 limits', () => {
  it('159: cpu 20 with 100 in use → not placed', () => {
    const node = aNode({
      meta: { name: 'big' },
      capacity: { cpu: 100_000, pods: 10 },
      allocatable: { cpu: 0 },
    });
    const { refused } = planOf({
      nodePools: [limited({ cpu: 20_000 })],
      nodes: [aStateNode({ node })],
      pods: [asking(100)],
    });

    expect(refused).toMatchObject([{ by: 'limits' }]);
  });

  it('159: cpu 2 → 1.75 is placed, 2.1 is not, and in a second pass neither is 1.75', () => {
    const nodePools = [limited({ cpu: 2000 })];
    const first = planOf({ nodePools, pods: [asking(1750)] });
    expect(first.claims).toMatchObject([{ instanceTypes: ['m5.large'] }]);
    expect(planOf({ nodePools, pods: [asking(2100)] }).refused).toMatchObject([{ by: 'limits' }]);

    const [creation] = first.creations;
    const claim = aNewClaim({
      meta: { name: 'first' },
      ...(creation && { spec: creation.claim.spec }),
    });
    const pods = [asking(1750), asking(1750, 'web-2')];
    const second = planOf({ nodePools, nodes: [anInFlightNode(claim)], pods });
    expect(second.placements).toMatchObject([{ pod: 'default/web', nodeClaim: 'first' }]);
    expect(second.refused).toMatchObject([{ pod: 'default/web-2', by: 'limits' }]);
  });

  it('160: pods 1, where types have 5 → not placed', () => {
    expect(planOf({ nodePools: [limited({ pods: 1 })], pods: [asking(1)] }).refused).toMatchObject([
      { by: 'limits' },
    ]);
  });
});

describe('limits, rule by rule', () => {
  it('K-7: only what is active counts, each node as 1 of `nodes`', () => {
    const going = anInFlightNode(aNodeClaim({ meta: { name: 'going', deletedAt: NOON } }));
    const nodePools = [limited({ nodes: 2 })];
    const pods = [asking(2000, 'a'), asking(2000, 'b')];
    const { claims, refused } = planOf({ nodePools, nodes: [going, aStateNode()], pods });

    // One goes on the node that is there, one on the one that the limit leaves.
    expect([claims.length, refused.length]).toEqual([1, 0]);
  });

  it('K-8: `nodes` used up to the last is told in upstream’s words', () => {
    const { refused } = planOf({
      nodePools: [limited({ nodes: 1 })],
      nodes: [aStateNode()],
      pods: [asking(4000)],
    });

    expect(refused[0]?.because).toContain(
      'node limits have been exhausted for nodepool (NodePool=default)',
    );
  });

  it('K-9: types beyond what is left are not listed, and the miss is told', () => {
    const { claims } = planOf({ nodePools: [limited({ cpu: 3000 })], pods: [asking(1000)] });
    expect(claims[0]?.instanceTypes).toEqual(['m5.large']);

    const { refused } = planOf({ nodePools: [limited({ cpu: 3000 })], pods: [asking(3000)] });
    expect(refused[0]?.because).toContain(
      'the limits of NodePool default leave 3 cpu; the smallest type that holds it, m5.xlarge, has 4 cpu',
    );
  });

  it('K-10: a claim counts as its largest listed type; what it does not list is given back (upstream keeps it)', () => {
    const pods = somePods(3, { requests: { cpu: 2000 } });
    const { claims, refused } = planOf({ nodePools: [limited({ cpu: 8000 })], pods });
    const largest = claims.map(({ instanceTypes }) =>
      instanceTypes.includes('m5.xlarge') ? 4 : 2,
    );

    expect(refused).toEqual([]);
    expect(largest.reduce((sum, cpu) => sum + cpu, 0)).toBeLessThanOrEqual(8);
  });

  it('K-11: `nodes` counts within a pass (upstream oversteps it by a batch)', () => {
    const pods = somePods(5, { requests: { cpu: 4000 } });
    const { claims, refused } = planOf({ nodePools: [limited({ nodes: 2 })], pods });

    expect([claims.length, refused.length]).toEqual([2, 3]);
  });

  it('K-14: nodes that are there are used whatever the limits', () => {
    const { placements } = planOf({
      nodePools: [limited({ cpu: 0, nodes: 0 })],
      nodes: [aStateNode()],
      pods: [asking(1000)],
    });

    expect(placements).toMatchObject([{ node: 'node-1' }]);
  });

  it('holds extended resources as well', () => {
    const gpu = anInstanceType('g5.xlarge', { cpu: 4, more: { 'nvidia.com/gpu': 1 } });
    const pods = somePods(3, { requests: { 'nvidia.com/gpu': 1 } });
    const nodePools = [limited({ 'nvidia.com/gpu': 2 })];
    const { claims, refused } = planOf({ nodePools, pods, catalog: aCatalog([gpu]) });

    expect([claims.length, refused.length]).toEqual([2, 1]);
  });

  it('119: huge pages come out of the memory that a type can give', () => {
    const GIB = 2 ** 30;
    const memory = (gib: number) => aPod({ requests: { memory: gib * GIB } });
    const huge = anInstanceType('m5.large', { more: { 'hugepages-2Mi': 2 * GIB } });
    const catalog = aCatalog([{ ...huge, allocatable: { ...huge.allocatable, memory: 6 * GIB } }]);

    expect(planOf({ catalog, pods: [memory(6)] }).claims).toHaveLength(1);
    expect(planOf({ catalog, pods: [memory(7)] }).refused).toMatchObject([{ by: 'resources' }]);
  });
});

describe('limits in dollars', () => {
  const spending = (usd: string, difference: Parameters<typeof aNodePool>[0] = {}) =>
    aNodePool({
      ...difference,
      meta: { ...difference.meta, annotations: { 'joinery.dev/limit-usd-per-hour': usd } },
    });
  const onDemand = {
    template: { requirements: [spec('karpenter.sh/capacity-type In on-demand')] },
  };
  /** What a claim may cost at most: the dearest of what it lists. */
  const dearest = ({ instanceTypes, requirements }: PlannedNodeClaim): number => {
    const line = requirements.find(({ key }) => key === 'karpenter.sh/capacity-type');
    const prices = TYPES.filter(({ name }) => instanceTypes.includes(name))
      .flatMap(({ offerings }) => offerings)
      .filter(({ capacityType }) => line?.values?.includes(capacityType))
      .map(({ usdPerHour }) => usdPerHour);
    return Math.max(...prices);
  };

  it('make as many nodes as they pay for, to the last billionth of a dollar', () => {
    const nodesFor = (usd: string) =>
      planOf({
        nodePools: [spending(usd, onDemand)],
        pods: somePods(9, { requests: { cpu: 2000 } }),
      }).claims.length;

    expect([nodesFor('0.3'), nodesFor('0.299999999'), nodesFor('0')]).toEqual([3, 2, 0]);
  });

  it('count a claim as the dearest that it lists, so that no launch oversteps them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (cents, count) => {
          const usd = (cents / 20).toFixed(2);
          const { claims } = planOf({
            nodePools: [spending(usd)],
            pods: somePods(count, { requests: { cpu: 1500 } }),
          });
          const most = claims.map(dearest).reduce((sum, price) => sum + price, 0);

          expect(most).toBeLessThanOrEqual(Number(usd) + 1e-9);
        },
      ),
    );
  });

  it('pay for as many nodes as there would be if each listed no more types than minValues demands', () => {
    const larger = anInstanceType('m5.2xlarge', { cpu: 8, pods: 5, usdPerHour: 0.4 });
    const requirements = [
      spec('karpenter.sh/capacity-type In on-demand'),
      spec('node.kubernetes.io/instance-type Exists', 2),
    ];
    const { claims } = planOf({
      catalog: aCatalog([...TYPES, larger]),
      nodePools: [spending('0.8', { template: { requirements } })],
      pods: somePods(4, {
        requests: { cpu: 1500 },
        hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }],
      }),
    });

    expect(claims.map(({ instanceTypes }) => instanceTypes)).toEqual(
      Array(4).fill(['m5.large', 'm5.xlarge']),
    );
  });

  it('count the nodes that are there', () => {
    const nodePools = [spending('0.2', onDemand)];
    const pods = somePods(3, { requests: { cpu: 2000 } });
    const { placements, claims, refused } = planOf({ nodePools, nodes: [aStateNode()], pods });

    expect([placements.length, claims.length, refused.length]).toEqual([1, 1, 1]);
    expect(refused[0]?.because).toContain(
      'the limits of NodePool default leave $0.0000/h; the smallest type that holds it, m5.large, may cost $0.1000/h',
    );
  });

  it('of all NodePools together are one purse', () => {
    const nodePools = [
      aNodePool({ meta: { name: 'a' }, weight: 2, limits: { nodes: 1 }, ...onDemand }),
      aNodePool({ meta: { name: 'b' }, weight: 1, ...onDemand }),
    ];
    const { claims, refused } = planOf({
      nodePools,
      settings: someSettings({ limitUsdPerHour: 0.3 }),
      pods: somePods(4, { requests: { cpu: 2000 } }),
    });

    const pools = claims.map(({ nodePool }) => nodePool).sort();
    expect(pools).toEqual(['a', 'b', 'b']);
    expect(refused).toHaveLength(1);
  });

  it.each(['a lot', '-1', '1e3', '$5', '', '1.0000000001'])(
    'that say %j make the NodePool unfit, with a sentence',
    (usd) => {
      const { refused } = planOf({ nodePools: [spending(usd)], pods: [asking(100)] });

      expect(refused[0]?.because).toContain(
        `invalid value: annotation joinery.dev/limit-usd-per-hour is ${JSON.stringify(usd)}, expected USD per hour such as 12.50`,
      );
      const plan = decideProvision(aSnapshot({ nodePools: [spending(usd)] }));
      expect(JSON.stringify(plan.actions)).toContain('NodePoolValidationFailed');
    },
  );

  it('cannot count a node of a type that nobody sells, and say so', () => {
    const labels = { 'node.kubernetes.io/instance-type': 'x9.huge' };
    const nodes = [aStateNode({ node: aNode({ meta: { labels } }) })];
    const warningsFor = (usd: string) =>
      decideProvision(aSnapshot({ nodes, nodePools: [spending(usd)] })).warnings;

    expect(warningsFor('1')).toEqual([
      'node-1 counts as $0 against limits in dollars: the price of x9.huge is not known',
    ]);
    expect(decideProvision(aSnapshot({ nodes })).warnings).toEqual([]);
  });
});
