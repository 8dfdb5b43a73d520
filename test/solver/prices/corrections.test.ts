import { describe, expect, it } from 'vitest';
import { corrected, NO_CORRECTIONS, withCorrections } from '#lib/solver/prices/corrections.ts';
import { solve } from '#lib/solver/solve.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const CATALOG = aCatalog([
  anInstanceType('m5.large', { cpu: 2 }),
  anInstanceType('m5.xlarge', { cpu: 4 }),
]);
/** Two fill an m5.large to the brim; a third pod takes a node alone and leaves most of it empty. */
const PODS = [
  aPod({ meta: { name: 'half-1' }, requests: { cpu: 1000, memory: 4 * GIB } }),
  aPod({ meta: { name: 'half-2' }, requests: { cpu: 1000, memory: 4 * GIB } }),
  aPod({ meta: { name: 'odd' }, requests: { cpu: 1100, memory: GIB } }),
];

function reckoning() {
  const snapshot = aSnapshot({ catalog: CATALOG, pods: PODS });
  const { groups, prices } = solverParts(snapshot);
  const promised = new Map();
  const { claims } = solve({ snapshot, pods: PODS, promised, expected: new Map() });
  return { claims, groups, prices, before: NO_CORRECTIONS };
}

describe('corrections', () => {
  it('raise the value of pods whose nodes cost more than their pods are worth', () => {
    const plan = reckoning();
    const prices = withCorrections(plan.prices, corrected(plan), plan.groups);
    const paid = plan.claims.reduce((sum, { cheapest }) => sum + cheapest.offering.usdPerHour, 0);
    const worth = plan.groups.reduce(
      (sum, group) => sum + prices.worthOf(group) * group.pods.length,
      0,
    );

    expect(paid).toBeGreaterThan(worth);
    for (const group of plan.groups) {
      expect(prices.valueOf(group)).toBeGreaterThanOrEqual(prices.worthOf(group) - 1e-12);
      expect(prices.valueOf(group)).toBeLessThanOrEqual(
        prices.boost * prices.worthOf(group) + 1e-12,
      );
    }
    expect(prices.boost).toBeGreaterThan(1);
  });

  it('go half the way each time', () => {
    const plan = reckoning();
    const once = corrected(plan);
    const twice = corrected({ ...plan, before: once });

    for (const { likeness } of plan.groups) {
      const [worth = 0] = plan.groups
        .filter((group) => group.likeness === likeness)
        .map((group) => plan.prices.worthOf(group));
      const [first = 0, second = 0] = [once.get(likeness), twice.get(likeness)];
      expect(second - first).toBeCloseTo((first - worth) / 2);
    }
  });

  it('leave prices as they are before anything was packed', () => {
    const { prices, groups } = reckoning();

    expect(withCorrections(prices, NO_CORRECTIONS, groups)).toBe(prices);
  });

  it('know nothing of pods that got no node', () => {
    expect(corrected({ ...reckoning(), claims: [] }).size).toBe(0);
  });
});
