import { describe, expect, it } from 'vitest';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { GIB } from '#test/build/objects.ts';
import { named, planOf, pool, requirementOn } from '#test/build/plans.ts';
import { somePods } from '#test/build/pods.ts';
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
});
