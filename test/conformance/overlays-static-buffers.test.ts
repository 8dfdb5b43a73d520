/**
 * Upstream's behaviours of NodeOverlays, static NodePools and CapacityBuffers, restated with our
 * builders. Source: karpenter v1.14, nodeoverlay/suite_test.go, static/*_test.go,
 * capacitybuffer/suite_test.go.
 */
import { describe, expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlay.ts';
import { overlaidPrice } from '#lib/solver/overlay-price.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodeOverlay } from '#test/build/node-overlays.ts';
import { aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const open = someSettings({
  featureGates: ['CapacityBuffer', 'NodeOverlay', 'StaticCapacity'],
});
const types = [
  anInstanceType('m5.large', { cpu: 2, usdPerHour: 0.1 }),
  anInstanceType('m5.xlarge', { cpu: 4, usdPerHour: 0.2 }),
];
const overlay = (name: string, difference: Parameters<typeof aNodeOverlay>[0]): NodeOverlay =>
  aNodeOverlay({ ...difference, meta: { name } });

describe('10.13 NodeOverlays', () => {
  const made = (overlays: readonly NodeOverlay[], difference: Partial<Snapshot> = {}) =>
    overlaid(
      aSnapshot({
        settings: open,
        catalog: aCatalog(types),
        nodeOverlays: overlays,
        ...difference,
      }),
    );
  const typeIn = (result: ReturnType<typeof made>, name: string, pool = 'default') => {
    const { byNodePool, byNodeClass } = result.snapshot.catalog;
    const list = byNodePool?.get(pool) ?? byNodeClass.get('default') ?? [];
    return list.find((type) => type.name === name);
  };
  const priceOf = (
    result: ReturnType<typeof made>,
    name: string,
    { zone = 'us-east-1a', capacityType = 'on-demand', pool = 'default' } = {},
  ) =>
    typeIn(result, name, pool)?.offerings.find(
      (each) => each.zone === zone && each.capacityType === capacityType,
    )?.usdPerHour;
  const verdicts = ({ judged }: ReturnType<typeof made>) =>
    Object.fromEntries(
      judged.map(({ overlay: { meta }, problem }) => [meta.name, problem?.reason ?? 'valid']),
    );
  const onLarge = [spec('node.kubernetes.io/instance-type In m5.large')];
  const onBoth = [spec('node.kubernetes.io/instance-type In m5.large m5.xlarge')];

  it.each([
    [10, { priceAdjustment: '-10%' }, 9],
    [10, { priceAdjustment: '+100%' }, 20],
    [10, { priceAdjustment: '-200%' }, 0],
    [10, { priceAdjustment: '+5' }, 15],
    [10, { priceAdjustment: '-15' }, 0],
    [10, { price: '80.0' }, 80],
    [10, { price: '', priceAdjustment: '' }, 10],
    [1.5, { priceAdjustment: '-25%' }, 1.125],
  ])('172: %d changed by %j is %d', (base, change, expected) => {
    expect(overlaidPrice(base, change)).toBe(expected);
  });

  it('173: of two overlays of one weight the later by name, from z to a, is in conflict', () => {
    const both = (weightA: number, weightB: number, priceB = '2') =>
      made([
        overlay('overlay-a', { requirements: onLarge, price: '1', weight: weightA }),
        overlay('overlay-b', { requirements: onBoth, price: priceB, weight: weightB }),
      ]);
    const alike = both(10, 10);

    expect(verdicts(alike)).toEqual({ 'overlay-a': 'Conflict', 'overlay-b': 'valid' });
    expect([priceOf(alike, 'm5.large'), priceOf(alike, 'm5.xlarge')]).toEqual([2, 2]);
    expect(verdicts(both(10, 10, '1'))['overlay-a']).toBe('Conflict');

    const heavier = both(20, 10);
    expect(verdicts(heavier)).toEqual({ 'overlay-a': 'valid', 'overlay-b': 'valid' });
    expect([priceOf(heavier, 'm5.large'), priceOf(heavier, 'm5.xlarge')]).toEqual([1, 2]);
  });

  it('174: an overlay in conflict over one type is applied to none', () => {
    const result = made([
      overlay('a', { requirements: onBoth, price: '1', weight: 10 }),
      overlay('b', { requirements: onLarge, price: '2', weight: 10 }),
    ]);

    expect(verdicts(result)).toEqual({ a: 'Conflict', b: 'valid' });
    expect([priceOf(result, 'm5.large'), priceOf(result, 'm5.xlarge')]).toEqual([2, 0.2]);
  });

  it('175: capacity of different resources is merged, of one resource in conflict', () => {
    const two = (first: string, second: string) =>
      made([
        overlay('a', { requirements: onLarge, capacity: { [first]: 3 }, weight: 10 }),
        overlay('b', { requirements: onLarge, capacity: { [second]: 3 }, weight: 10 }),
      ]);
    const merged = two('acme/fpga', 'acme/dsp');

    expect(verdicts(merged)).toEqual({ a: 'valid', b: 'valid' });
    expect(typeIn(merged, 'm5.large')?.capacity).toMatchObject({ 'acme/fpga': 3, 'acme/dsp': 3 });
    expect(typeIn(merged, 'm5.large')?.allocatable).toMatchObject({ 'acme/fpga': 3 });
    expect(verdicts(two('acme/fpga', 'acme/fpga'))).toEqual({ a: 'Conflict', b: 'valid' });
  });

  it('176: an overlay is about the zone, capacity type, pool or label that it names', () => {
    const zonal = made([
      overlay('a', {
        requirements: [spec('topology.kubernetes.io/zone In us-east-1b')],
        price: '9',
      }),
    ]);
    expect([
      priceOf(zonal, 'm5.large'),
      priceOf(zonal, 'm5.large', { zone: 'us-east-1b' }),
    ]).toEqual([0.1, 9]);

    const spot = made([
      overlay('a', { requirements: [spec('karpenter.sh/capacity-type In spot')], price: '9' }),
    ]);
    expect([
      priceOf(spot, 'm5.large'),
      priceOf(spot, 'm5.large', { capacityType: 'spot' }),
    ]).toEqual([0.1, 9]);

    const nodePools = [
      aNodePool(),
      aNodePool({ meta: { name: 'other' }, template: { labels: { team: 'a' } } }),
    ];
    for (const line of ['karpenter.sh/nodepool In other', 'team In a']) {
      const pooled = made([overlay('a', { requirements: [spec(line)], price: '9' })], {
        nodePools,
      });
      expect([priceOf(pooled, 'm5.large'), priceOf(pooled, 'm5.large', { pool: 'other' })]).toEqual(
        [0.1, 9],
      );
    }
  });

  it('177: a NodePool without types keeps no other from its overlays, and is none the worse (nothing is withheld: overlays are applied anew at each look)', () => {
    const nodePools = [
      aNodePool(),
      aNodePool({
        meta: { name: 'typeless' },
        template: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'unresolved' },
        },
      }),
    ];
    const result = made([overlay('a', { requirements: onLarge, price: '9' })], { nodePools });

    expect(verdicts(result)).toEqual({ a: 'valid' });
    expect(priceOf(result, 'm5.large')).toBe(9);
  });

  it('says nothing of types without an offering that it is about, capacity included', () => {
    const result = made([
      overlay('a', {
        requirements: [spec('topology.kubernetes.io/zone In us-east-1z')],
        capacity: { 'acme/fpga': 1 },
      }),
    ]);

    expect(result.snapshot.catalog.byNodePool?.size).toBe(0);
  });

  it('takes huge pages that it adds off the memory', () => {
    const GIB = 2 ** 30;
    const result = made([overlay('a', { capacity: { 'hugepages-2Mi': 2 * GIB } })]);

    expect(typeIn(result, 'm5.large')?.allocatable).toMatchObject({
      memory: 6 * GIB,
      'hugepages-2Mi': 2 * GIB,
    });
  });

  it('is believed by packing and marks the claims that it bears on', () => {
    const snapshot = aSnapshot({
      settings: open,
      catalog: aCatalog(types),
      nodeClasses: [aNodeClass()],
      pods: [aPod({ requests: { cpu: 1000, 'acme/fpga': 1 } })],
      nodeOverlays: [
        overlay('cheap', {
          requirements: [spec('node.kubernetes.io/instance-type In m5.xlarge')],
          price: '0.001',
        }),
        overlay('fpga', { requirements: onBoth, capacity: { 'acme/fpga': 1 }, weight: 1 }),
      ],
    });
    const plan = decideProvision(snapshot);

    expect(plan.nodeClaims).toMatchObject([
      { cheapest: { instanceType: 'm5.xlarge' }, usdPerHour: 0.001 },
    ]);
    const [creation] = plan.actions.filter(({ kind }) => kind === 'createNodeClaim');
    expect(creation).toMatchObject({
      claim: {
        annotations: {
          'karpenter.sh/price-overlay-applied': 'true',
          'karpenter.sh/capacity-overlay-applied': 'true',
        },
      },
    });
    const statuses = plan.actions.filter(
      (action) => action.kind === 'updateStatus' && action.object.kind === 'NodeOverlay',
    );
    expect(statuses).toHaveLength(2);
    expect(statuses[0]).toMatchObject({
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'ValidationSucceeded', status: 'True' },
        ],
      },
    });
  });

  it('is not heeded while its gate is closed, and the plan says so', () => {
    const plan = decideProvision(
      aSnapshot({ pods: [aPod()], nodeOverlays: [overlay('a', { price: '7' })] }),
    );

    expect(plan.usdPerHour).toBeLessThan(1);
    expect(plan.warnings).toContain(
      'NodeOverlay a is not heeded: the feature gate NodeOverlay is off',
    );
  });

  it('is discarded with a sentence where an API server of old let it pass', () => {
    const result = made([overlay('a', { capacity: { memory: 1 }, price: '1' })]);

    expect(result.judged[0]?.problem).toEqual({
      reason: 'RuntimeValidation',
      message: 'invalid capacity: memory in resource, restricted',
    });
  });
});
