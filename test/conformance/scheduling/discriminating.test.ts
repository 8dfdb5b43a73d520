import { describe, expect, it } from 'vitest';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { GIB } from '#test/build/objects.ts';
import {
  about,
  affinity,
  apart,
  HOSTNAME,
  named,
  ofAnApp,
  planOf,
  pool,
  requirementOn,
  ZONE,
} from '#test/build/plans.ts';
import { somePods } from '#test/build/pods.ts';
import { withReservation } from '#test/build/reservations.ts';
import { someSettings } from '#test/build/snapshots.ts';

describe('10.1 most discriminating', () => {
  const twoTypes = [
    anInstanceType('c1.small', { cpu: 1, usdPerHour: 0.05 }),
    anInstanceType('c1.large', { cpu: 4, usdPerHour: 0.2 }),
  ];
  const minTypes = (minValues: number, text = 'node.kubernetes.io/instance-type Exists') =>
    aNodePool({ template: { requirements: [spec(text, minValues)] } });

  it('25: BestEffort minValues of a heavier pool are lowered rather than a lighter pool used', () => {
    const { claims, creations } = planOf({
      nodePools: [
        pool('heavy', {
          weight: 100,
          template: {
            requirements: [
              spec('node.kubernetes.io/instance-type In c1.small c1.large c1.none', 3),
            ],
          },
        }),
        pool('light', { weight: 10 }),
      ],
      catalog: aCatalog(twoTypes),
      pods: [named('web', { requests: { cpu: 500 } })],
      settings: someSettings({ minValuesPolicy: 'BestEffort' }),
    });

    expect(claims).toMatchObject([{ nodePool: 'heavy' }]);
    expect(requirementOn(claims[0], 'node.kubernetes.io/instance-type')).toMatchObject([
      { values: ['c1.large', 'c1.small'], minValues: 2 },
    ]);
    expect(creations).toMatchObject([
      { claim: { annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' } } },
    ]);
  });

  it('26: Strict minValues that cannot be met refuse the pod', () => {
    const { refused } = planOf({
      nodePools: [minTypes(3)],
      catalog: aCatalog(twoTypes),
      pods: [named('web', { requests: { cpu: 500 } })],
    });

    expect(refused).toMatchObject([{ by: 'minValues' }]);
  });

  it('27: two pods go on two nodes where one would leave too few types', () => {
    const { claims } = planOf({
      nodePools: [minTypes(2)],
      catalog: aCatalog(twoTypes),
      pods: somePods(2, { requests: { cpu: 900, memory: GIB } }),
    });

    expect(claims.map(({ instanceTypes }) => instanceTypes)).toEqual([
      ['c1.small', 'c1.large'],
      ['c1.small', 'c1.large'],
    ]);
  });

  it('33: a limit of nodes holds within one pass', () => {
    const ports = [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }];
    const { claims, refused } = planOf({
      nodePools: [aNodePool({ limits: { nodes: 2 } })],
      pods: somePods(3, { hostPorts: ports }),
    });

    expect(claims).toHaveLength(2);
    expect(refused).toMatchObject([{ by: 'limits' }]);
    expect(refused[0]?.because).toContain('node limits have been exhausted for nodepool');
  });

  it('35: the claim carries the hash of the pool as it was read', () => {
    const { creations } = planOf({ pods: [named('web')] });

    expect(creations).toMatchObject([
      {
        claim: {
          annotations: {
            'karpenter.sh/nodepool-hash': expect.stringMatching(/^\d+$/),
            'karpenter.sh/nodepool-hash-version': 'v3',
          },
          owner: { kind: 'NodePool', name: 'default' },
        },
      },
    ]);
  });

  it('38: all types that hold the pod are listed, the cheapest first', () => {
    const { claims } = planOf({
      catalog: aCatalog([
        anInstanceType('a1.medium', { cpu: 2, usdPerHour: 3 }),
        anInstanceType('a1.small', { cpu: 1, usdPerHour: 2 }),
        anInstanceType('a1.large', { cpu: 4, usdPerHour: 1 }),
      ]),
      pods: [named('web', { requests: { cpu: 500 } })],
    });

    expect(claims[0]?.instanceTypes).toEqual(['a1.large', 'a1.small', 'a1.medium']);
  });

  it('39: a price counts only where the pool allows the offering', () => {
    const { claims } = planOf({
      nodePools: [
        aNodePool({
          template: { requirements: [spec('karpenter.sh/capacity-type In on-demand')] },
        }),
      ],
      catalog: aCatalog([
        anInstanceType('t1.one', { usdPerHour: 1 }),
        anInstanceType('t1.two', { usdPerHour: 1.3, capacityTypes: ['on-demand', 'spot'] }),
      ]),
      pods: [named('web')],
    });

    expect(claims).toMatchObject([
      { cheapest: { instanceType: 't1.one', capacityType: 'on-demand' }, usdPerHour: 1 },
    ]);
  });

  it('18: three pods use up two reservations and buy one node, at once (upstream: in three passes)', () => {
    const { claims } = planOf({
      catalog: aCatalog([
        withReservation(anInstanceType('m5.large'), 1),
        withReservation(anInstanceType('m5.xlarge', { cpu: 3 }), 1),
        anInstanceType('m5.2xlarge', { cpu: 8 }),
      ]),
      pods: somePods(3, { requests: { cpu: 1800 } }),
    });

    expect(claims.flatMap(({ pods }) => pods)).toHaveLength(3);
    expect(
      claims.map(({ cheapest }) => [cheapest.instanceType, cheapest.capacityType]).sort(),
    ).toEqual([
      ['m5.large', 'reserved'],
      ['m5.large', 'spot'],
      ['m5.xlarge', 'reserved'],
    ]);
  });

  it('19: two pools that share a reservation of one draw on it once, at once (upstream: in two passes)', () => {
    const { claims } = planOf({
      nodePools: [pool('a'), pool('b')],
      catalog: aCatalog([withReservation(anInstanceType('m5.large'), 1)]),
      pods: ['a', 'b'].map((name) =>
        named(name, { nodeSelector: { 'karpenter.sh/nodepool': name } }),
      ),
    });

    expect(claims.map(({ cheapest }) => cheapest.capacityType).sort()).toEqual([
      'reserved',
      'spot',
    ]);
  });

  it('23: a preference and a reservation that is used up: the pod is placed at once (upstream: it waits)', () => {
    const plan = planOf({
      catalog: aCatalog([withReservation(anInstanceType('m5.large'), 1)]),
      pods: somePods(2, {
        requests: { cpu: 1800 },
        ...affinity([], [[1, `${ZONE} In us-east-1a`]]),
      }),
    });

    expect(plan.refused).toEqual([]);
    expect(plan.warnings).toEqual([]);
    expect(plan.claims.map(({ cheapest }) => cheapest.zone)).toEqual(['us-east-1a', 'us-east-1a']);
  });

  it('24: two pods that fit one reserved node share it', () => {
    const { claims } = planOf({
      catalog: aCatalog([withReservation(anInstanceType('m5.large'), 1)]),
      pods: somePods(2, { requests: { cpu: 900 } }),
    });

    expect(claims).toMatchObject([{ cheapest: { capacityType: 'reserved' } }]);
    expect(requirementOn(claims[0], 'karpenter.sh/capacity-type')).toMatchObject([
      { values: ['reserved'] },
    ]);
  });

  it('29: eleven types are asked for where there are ten', () => {
    const types = Array.from({ length: 10 }, (_, at) => anInstanceType(`m5.x${at}`));

    expect(
      planOf({ nodePools: [minTypes(11)], catalog: aCatalog(types), pods: [named('web')] }).refused,
    ).toMatchObject([{ by: 'minValues' }]);
    expect(
      planOf({ nodePools: [minTypes(10)], catalog: aCatalog(types), pods: [named('web')] }).refused,
    ).toEqual([]);
  });

  it('32: a limit holds one node of two that may not be one', () => {
    const { claims, refused } = planOf({
      nodePools: [aNodePool({ limits: { cpu: 3000 } })],
      pods: ofAnApp('web', 2, { ...apart(about('web', HOSTNAME)), requests: { cpu: 1500 } }),
    });

    expect(claims).toHaveLength(1);
    expect(refused).toMatchObject([{ by: 'limits' }]);
  });

  it('37: nodes are filled by what they cost (upstream: the one with the fewest pods is filled first)', () => {
    const { claims } = planOf({
      catalog: aCatalog([anInstanceType('m5.xlarge', { cpu: 4 })]),
      pods: [
        ...somePods(2, { requests: { cpu: 1500 } }),
        named('large', { requests: { cpu: 3000 } }),
        ...somePods(2, { meta: { name: 'small' }, requests: { cpu: 500 } }),
      ],
    });

    expect(claims).toHaveLength(2);
  });
});
