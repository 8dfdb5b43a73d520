import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Offering } from '#lib/model/instance-type.ts';
import type { Pod } from '#lib/model/pod.ts';
import { admissionsFor } from '#lib/solver/admission.ts';
import { type Amounts, worth } from '#lib/solver/amounts.ts';
import type { SourceType } from '#lib/solver/sources.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { bestValueOf } from '#test/build/lp-library.ts';
import { GIB } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { type SolverParts, solverParts } from '#test/build/solver-parts.ts';

const ZONE = 'topology.kubernetes.io/zone';

const CATALOG = aCatalog([
  anInstanceType('c5.large', { cpu: 2, memoryGib: 4, usdPerHour: 0.085 }),
  anInstanceType('m5.xlarge', { cpu: 4, memoryGib: 16, usdPerHour: 0.192 }),
  anInstanceType('r5.2xlarge', { cpu: 8, memoryGib: 64, usdPerHour: 0.504 }),
  anInstanceType('m6g.xlarge', { cpu: 4, memoryGib: 16, arch: 'arm64', usdPerHour: 0.154 }),
  anInstanceType('r5.large', {
    cpu: 2,
    memoryGib: 16,
    zones: ['us-east-1b'],
    usdPerHour: 0.12,
    soldOut: ['us-east-1b/spot'],
  }),
]);

const somePods = fc.array(
  fc.record({
    cpu: fc.integer({ min: 1, max: 19 }).map((tenths) => tenths * 100),
    memory: fc.integer({ min: 1, max: 12 }).map((quarters) => (quarters * GIB) / 4),
    nodeSelector: fc.constantFrom<Record<string, string>[]>(
      {},
      { [ZONE]: 'us-east-1a' },
      { [ZONE]: 'us-east-1b' },
      { 'karpenter.sh/capacity-type': 'on-demand' },
      { 'kubernetes.io/arch': 'amd64' },
      { 'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/arch': 'amd64' },
    ),
    copies: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const partsOf = (
  wishes: readonly { cpu: number; memory: number; nodeSelector: object; copies: number }[],
): SolverParts => {
  const pods = wishes.flatMap(({ cpu, memory, nodeSelector, copies }, wish) =>
    Array.from({ length: copies }, (_, copy): Pod => {
      const name = `web-${wish}-${copy}`;
      return aPod({ meta: { name }, requests: { cpu, memory }, nodeSelector: { ...nodeSelector } });
    }),
  );
  return solverParts(aSnapshot({ catalog: CATALOG, pods }));
};

/** Every offering that a group may use, with its type. */
function usableBy(group: SolverParts['groups'][number], { sources, admissions }: SolverParts) {
  const usable = new Map<Offering, SourceType>();
  for (const source of sources) {
    for (const { choices } of admissionsFor(source, group.levels.at(-1)?.asks ?? [], admissions)) {
      for (const { sourceType, offerings } of choices.values()) {
        for (const offering of offerings) usable.set(offering, sourceType);
      }
    }
  }
  return usable;
}

/**
 * What the same costs in fractions of nodes, as an LP library finds it. Offerings that the same
 * groups may use have the same prices.
 */
function leastInFractions(parts: SolverParts): number {
  const { demands, axes } = parts;
  // The library takes what is smaller than its tolerance for nothing.
  const units = axes.map((name) => (name === 'memory' ? GIB : name === 'cpu' ? 1000 : 1));
  const users = new Map<Offering, string>();
  for (const [at, { group }] of demands.entries()) {
    for (const offering of usableBy(group, parts).keys()) {
      users.set(offering, `${users.get(offering) ?? 'y'}_${at}`);
    }
  }
  const lines = new Set<string>();
  for (const [at, { group }] of demands.entries()) {
    for (const [offering, { roomAmounts }] of usableBy(group, parts)) {
      const inMarket = (amounts: Amounts, sign: number): string =>
        terms(
          amounts.map((amount, axis) => [
            (sign * amount) / (units[axis] ?? 1),
            `${users.get(offering)}_of_${axis}`,
          ]),
        );
      lines.add(` ${inMarket(group.amounts, -1)} + w${at} <= 0`);
      lines.add(` ${inMarket(roomAmounts, 1)} <= ${offering.usdPerHour * MILLI}`);
    }
  }
  const total = terms(demands.map(({ count }, at) => [count, `w${at}`]));
  const best = bestValueOf(
    `Maximize\n worth: ${total}\nSubject To\n${[...lines].join('\n')}\nEnd\n`,
  );
  return best / MILLI;
}

const MILLI = 1000;

const terms = (parts: readonly (readonly [number, string])[]): string =>
  parts.map(([factor, name]) => `${factor < 0 ? '-' : '+'} ${Math.abs(factor)} ${name}`).join(' ');

describe('priceOut', () => {
  it('makes no node worth more than it costs, and no pod worth more than its resources', () => {
    fc.assert(
      fc.property(somePods, (wishes) => {
        const parts = partsOf(wishes);
        const { prices } = parts;
        for (const { group } of parts.demands) {
          for (const [offering, { roomAmounts }] of usableBy(group, parts)) {
            const here = prices.pricesAt(offering);
            if (!here) continue;
            expect(prices.worthOf(group)).toBeLessThanOrEqual(worth(here, group.amounts) + 1e-12);
            const rest = roomAmounts.map((room, axis) => room % (group.amounts[axis] || 1));
            const used = roomAmounts.map((room, axis) => room - (rest[axis] ?? 0));
            if (parts.demands.length === 1) {
              expect(worth(here, used)).toBeLessThanOrEqual(offering.usdPerHour + 1e-9);
            }
            here.forEach((price, axis) => {
              expect(price).toBeLessThanOrEqual((prices.dearest[axis] ?? 0) + 1e-15);
            });
          }
        }
      }),
    );
  });

  it('finds nearly all that an LP library finds', () => {
    fc.assert(
      fc.property(somePods, (wishes) => {
        const parts = partsOf(wishes);
        const found = parts.demands.reduce(
          (sum, { group, count }) => sum + parts.prices.worthOf(group) * count,
          0,
        );

        expect(found).toBeGreaterThanOrEqual(leastInFractions(parts) * 0.95);
      }),
      { numRuns: 60 },
    );
  });

  it('finds pods worthless that nothing for sale may run', () => {
    const pods = [aPod({ requests: { cpu: 400_000 } })];
    const { prices, groups } = solverParts(aSnapshot({ catalog: CATALOG, pods }));

    expect(groups.map((group) => prices.worthOf(group))).toEqual([0]);
    expect(prices.dearest).toEqual([]);
  });
});
