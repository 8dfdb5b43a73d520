/**
 * Karpenter's rules of what may replace what, by price, restated.
 * Source: karpenter v1.14, disruption/consolidation_test.go.
 */
import { describe, expect, it } from 'vitest';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { certifyConsolidation } from '#lib/disruption/consolidation/certify.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from '#test/build/constraints.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster, aFreePool, aMember, mover, pass } from '#test/build/members.ts';
import { withReservation } from '#test/build/reservations.ts';
import { someSettings } from '#test/build/snapshots.ts';

const ON_DEMAND = [spec('karpenter.sh/capacity-type In on-demand')];
const SPOT = [spec('karpenter.sh/capacity-type In spot')];
const poolOf = (requirements: readonly ReturnType<typeof spec>[]) => ({
  nodePools: [aFreePool({ template: { requirements } })],
});
const pricedAt = (name: string, usdPerHour: number, cpu = 4): InstanceType =>
  anInstanceType(name, { cpu, usdPerHour, pods: 58 });

/** A type whose offerings cost what is said, by zone and capacity type. */
function aType(name: string, prices: Readonly<Record<string, number>>, cpu = 4): InstanceType {
  const type = pricedAt(name, 1, cpu);
  const offerings = type.offerings.flatMap((each) => {
    const usdPerHour = prices[`${each.zone}/${each.capacityType}`] ?? prices[each.capacityType];
    return usdPerHour === undefined ? [] : [{ ...each, usdPerHour }];
  });
  return { ...type, offerings: offerings.sort((a, b) => a.usdPerHour - b.usdPerHour) };
}

const OPEN = {
  settings: someSettings({
    featureGates: ['SpotToSpotConsolidation'],
    // What a move has to save is ours; these cases are about what upstream asks.
    consolidationMoveShare: 0,
  }),
};
/** Spot types c5 to c24 at rising prices, spot 40 % of them. */
const TWENTY = Array.from({ length: 20 }, (_, at) => pricedAt(`c${at + 5}.xlarge`, 0.1 + at / 100));
const spotMember = (
  name: string,
  type: InstanceType | undefined,
  pods = [mover(`on-${name}`, 500)],
) => aMember(name, { ...(type && { type }), capacityType: 'spot', pods });

const certified = (members: readonly StateNode[], snapshot: Snapshot) =>
  certifyConsolidation(members, {
    snapshot,
    nominated: new Set(),
    inFlight: inFlightOf(snapshot),
    toPlace: { pods: [], promised: new Map(), expected: new Map() },
  });

describe('Replacement by price', () => {
  it('5: the dearest zone of a spot type counts, not the cheapest', () => {
    const current = pricedAt('m5.xlarge', 0.5);
    const other = aType('m6.xlarge', {
      'us-east-1a/spot': 1,
      'us-east-1b/spot': 0.2,
      'us-east-1c/spot': 0.4,
    });
    const soldOut = anInstanceType('m5.xlarge', {
      cpu: 4,
      usdPerHour: 0.5,
      soldOut: current.offerings.map((each) => `${each.zone}/${each.capacityType}`),
    });
    const node = aMember('a', { type: current, pods: [mover('web', 500)] });

    expect(pass(aCluster([node], { types: [soldOut, other], ...poolOf([]) })).removed).toEqual([]);
  });

  it('6: where only on-demand may be bought, spot prices mean nothing', () => {
    const current = pricedAt('m5.xlarge', 0.5);
    const other = aType('m6.xlarge', { spot: 0.2, 'on-demand': 0.6 });
    const node = aMember('a', { type: current, pods: [mover('web', 500)] });
    const cluster = aCluster([node], { types: [current, other], ...poolOf(ON_DEMAND) });

    expect(pass(cluster)).toMatchObject({ removed: [] });
    expect(pass(cluster).why('a')).toBe("Can't replace with a cheaper node");
  });

  it('7: two nodes of the cheapest type are not merged into a third; the one with fewer pods goes', () => {
    const pods = (node: string, count: number) =>
      Array.from({ length: count }, (_, at) => mover(`${node}-${at}`, 200));
    const cluster = aCluster(
      [aMember('a', { pods: pods('a', 2) }), aMember('b', { pods: pods('b', 1) })],
      poolOf(ON_DEMAND),
    );

    expect(pass(cluster)).toMatchObject({ removed: ['b'], made: [] });
  });

  it('8: a merger that loses minValues is not made, a deletion is', () => {
    const [current, other] = [pricedAt('m5.xlarge', 0.5), pricedAt('m6.xlarge', 0.4)];
    const pods = (node: string, count: number) =>
      Array.from({ length: count }, (_, at) => mover(`${node}-${at}`, 2000));
    const cluster = aCluster(
      [
        aMember('a', { type: current, pods: pods('a', 1) }),
        aMember('b', { type: current, pods: pods('b', 1) }),
        aMember('c', { type: current, pods: pods('c', 2) }),
      ],
      {
        types: [current, other],
        ...poolOf([...ON_DEMAND, spec('node.kubernetes.io/instance-type Exists', 2)]),
      },
    );

    expect(pass(cluster)).toMatchObject({ removed: ['a'], made: [] });
  });

  it('9: minValues are kept even where they are lowered elsewhere, and the event names the key', () => {
    const [current, other] = [pricedAt('m5.xlarge', 0.5), pricedAt('m6.xlarge', 0.2)];
    const cluster = aCluster([aMember('a', { type: current, pods: [mover('web', 500)] })], {
      types: [current, other],
      settings: someSettings({ minValuesPolicy: 'BestEffort' }),
      ...poolOf([...ON_DEMAND, spec('node.kubernetes.io/instance-type Exists', 3)]),
    });
    const { removed, why } = pass(cluster);

    expect(removed).toEqual([]);
    expect(why('a')).toContain('node.kubernetes.io/instance-type');
  });

  it.each([
    [16, 16],
    [10, 15],
  ])('11: with minValues %i a launch of spot for spot lists %i types', (minValues, listed) => {
    const pool = poolOf([...SPOT, spec('node.kubernetes.io/instance-type Exists', minValues)]);
    const cluster = aCluster([spotMember('a', TWENTY[19])], { types: TWENTY, ...pool, ...OPEN });

    expect(pass(cluster).made.map((types) => types.length)).toEqual([listed]);
  });

  it('12: minValues 16 and 15 cheaper types replace nothing', () => {
    const sixteen = TWENTY.slice(0, 16);
    const pool = poolOf([...SPOT, spec('node.kubernetes.io/instance-type Exists', 16)]);
    const cluster = aCluster([spotMember('a', sixteen[15])], { types: sixteen, ...pool, ...OPEN });

    expect(pass(cluster).removed).toEqual([]);
  });

  it('13: a spot node with one cheaper type is kept, and the event counts them', () => {
    const cluster = aCluster([spotMember('a', TWENTY[1])], {
      types: TWENTY,
      ...poolOf(SPOT),
      ...OPEN,
    });
    const { removed, why } = pass(cluster);

    expect(removed).toEqual([]);
    expect(why('a')).toBe(
      'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got 1',
    );
  });

  it('14: without the gate spot replaces no spot, but a spot node may still be deleted', () => {
    const cluster = aCluster([spotMember('a', TWENTY[19])], { types: TWENTY, ...poolOf(SPOT) });
    const two = aCluster([spotMember('a', TWENTY[19]), spotMember('b', TWENTY[0], [])], {
      types: TWENTY,
      nodePools: [
        aFreePool({
          template: { requirements: SPOT },
          disruption: { budgets: [{ nodes: '0', reasons: ['Empty'] }] },
        }),
      ],
    });

    expect(pass(cluster).why('a')).toBe(
      "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
    );
    expect(pass(two)).toMatchObject({ removed: ['a'], made: [] });
  });

  it('15: several spot nodes become one spot node only with 15 cheaper types; upstream asks none', () => {
    const few = TWENTY.slice(0, 4);
    const nodes = ['a', 'b', 'c'].map((name) =>
      spotMember(name, few[3], [mover(`on-${name}`, 1300)]),
    );
    const poor = aCluster(nodes, { types: few, ...poolOf(SPOT), ...OPEN });
    const rich = aCluster(
      ['a', 'b', 'c'].map((name) => spotMember(name, TWENTY[19], [mover(`on-${name}`, 1300)])),
      { types: TWENTY, ...poolOf(SPOT), ...OPEN },
    );

    expect(pass(poor).made).toEqual([]);
    expect(certified(rich.nodes, rich)).toMatchObject({ podsMoved: 3 });
    expect(pass(rich).made[0]).toHaveLength(15);
  });

  it('16: where one of them is on demand, the gate does not matter, and spot is what is bought', () => {
    const [current, cheap] = [pricedAt('m5.xlarge', 0.5), pricedAt('m6.xlarge', 0.3)];
    const nodes = [
      aMember('a', { type: current, pods: [mover('one', 1500)] }),
      spotMember('b', current, [mover('two', 1500)]),
    ];
    const cluster = aCluster(nodes, { types: [current, cheap], ...poolOf([]) });
    const command = certified(nodes, cluster);

    expect(command).toMatchObject({
      podsMoved: 2,
      replacements: [{ instanceTypes: ['m6.xlarge'] }],
    });
  });

  it('17: what may be spot or on-demand is bound to spot', () => {
    const cluster = aCluster([aMember('a', { pods: [mover('web', 500)] })], poolOf([]));
    const [claim] = pass(cluster).plan.nodeClaims;

    expect(claim?.requirements).toContainEqual(spec('karpenter.sh/capacity-type In spot'));
  });

  it('18: a node is replaced by the same type where a reservation is all but free', () => {
    const reserved = withReservation(pricedAt('m5.xlarge', 0.5), 1);
    const pool = poolOf([spec('karpenter.sh/capacity-type In on-demand reserved')]);
    const cluster = aCluster([aMember('a', { type: reserved, pods: [mover('web', 500)] })], {
      types: [reserved],
      ...pool,
    });
    const [claim] = pass(cluster).plan.nodeClaims;

    expect(claim?.cheapest).toMatchObject({ instanceType: 'm5.xlarge', capacityType: 'reserved' });
  });

  it('73: a node of unknown price is kept; upstream counts it as free, and one sold out at its price', () => {
    const nan = aType('m5.xlarge', { 'on-demand': Number.NaN, spot: 0.1 });
    const soldOut = anInstanceType('m5.xlarge', {
      cpu: 4,
      usdPerHour: 0.5,
      soldOut: ['us-east-1a/on-demand'],
    });
    const cheap = pricedAt('m6.xlarge', 0.3);
    const node = aMember('a', { pods: [mover('web', 500)] });

    expect(pass(aCluster([node], { types: [nan, cheap] })).why('a')).toContain(
      'price is not known',
    );
    expect(pass(aCluster([node], { types: [cheap] })).why('a')).toBe(
      'Instance Type "m5.xlarge" not found',
    );
    expect(pass(aCluster([node], { types: [soldOut, cheap] })).removed).toEqual(['a']);
  });

  it('102: a dear node with one small pod is replaced, and its type is no option', () => {
    const [dear, cheap] = [pricedAt('m5.4xlarge', 0.8, 16), pricedAt('m5.large', 0.1, 2)];
    const cluster = aCluster([aMember('a', { type: dear, pods: [mover('web', 500)] })], {
      types: [dear, cheap],
      ...poolOf(ON_DEMAND),
    });

    expect(pass(cluster)).toMatchObject({ removed: ['a'], made: [['m5.large']] });
  });
});
