import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fairPrices } from '#lib/disruption/consolidation/fair-price.ts';
import { groundOf } from '#lib/solver/ground.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aCluster } from '#test/build/members.ts';
import { GIB } from '#test/build/objects.ts';

const TYPES = [
  anInstanceType('c5.xlarge', { cpu: 4, memoryGib: 8, usdPerHour: 0.17 }),
  anInstanceType('m5.xlarge', { cpu: 4, memoryGib: 16, usdPerHour: 0.192 }),
  anInstanceType('r5.xlarge', { cpu: 4, memoryGib: 32, usdPerHour: 0.252 }),
];
const { sources, axes } = groundOf(aCluster([], { types: TYPES }), []);
const amounts = (cpu: number, memoryGib: number) =>
  axes.map((axis) => (axis === 'cpu' ? cpu : axis === 'memory' ? memoryGib * GIB : 0));
const pricesFor = (cpu: number, memoryGib: number) =>
  fairPrices(sources, axes, amounts(cpu, memoryGib));

describe('fairPrices', () => {
  it('prices what fills a type at the price of that type', () => {
    expect(pricesFor(4_000, 16).worth(amounts(4_000, 16))).toBeCloseTo(0.192, 6);
    expect(pricesFor(4_000, 32).worth(amounts(4_000, 32))).toBeCloseTo(0.252, 6);
  });

  it('finds the cheapest node that holds amounts, and none for what is too large', () => {
    const { nodeFor } = pricesFor(4_000, 16);

    expect(nodeFor(amounts(3_000, 10))).toBeCloseTo(0.192, 12);
    expect(nodeFor(amounts(5_000, 1))).toBe(Number.POSITIVE_INFINITY);
  });

  it('never prices what a node holds above the node', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(50_000),
        fc.nat(200),
        fc.constantFrom(...TYPES),
        share,
        share,
        (cpu, memory, type, a, b) => {
          const { worth } = pricesFor(cpu, memory);
          const held = amounts(
            (type.capacity.cpu ?? 0) * a,
            ((type.capacity.memory ?? 0) / GIB) * b,
          );
          const [{ usdPerHour } = { usdPerHour: 0 }] = type.offerings.filter(
            ({ capacityType }) => capacityType === 'on-demand',
          );

          expect(worth(held)).toBeLessThanOrEqual(usdPerHour + 1e-9);
        },
      ),
    );
  });
});
