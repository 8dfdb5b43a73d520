import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { worth } from '#lib/solver/amounts.ts';
import { bestPrices } from '#lib/solver/linear-program.ts';

const row = (usdPerHour: number, ...amounts: number[]) => ({ usdPerHour, amounts });

describe('bestPrices', () => {
  it('finds the prices at which the two cheapest rows are worth just what they cost', () => {
    const rows = [row(2, 1, 2), row(3, 3, 2), row(9, 1, 1)];

    const [cpu = 0, memory = 0] = bestPrices(rows, [5, 5]);

    expect(cpu).toBeCloseTo(0.5);
    expect(memory).toBeCloseTo(0.75);
  });

  it('gives a resource that no row limits no price', () => {
    expect(bestPrices([row(1, 1, 0)], [1, 1])).toEqual([1, 0]);
  });

  it('never makes a row worth more than it costs, and covers demand as a node would', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000 });
    const someRow = fc
      .record({ usdPerHour: fc.integer({ min: 0, max: 100 }), cpu: amount, memory: amount })
      .map(({ usdPerHour, cpu, memory }) => row(usdPerHour, cpu, memory * 1_000_000));

    fc.assert(
      fc.property(fc.array(someRow, { minLength: 1, maxLength: 20 }), (rows) => {
        const [first = row(0, 0, 0)] = rows;
        const prices = bestPrices(rows, first.amounts);

        for (const each of rows) {
          expect(worth(prices, each.amounts)).toBeLessThanOrEqual(each.usdPerHour * (1 + 1e-9));
        }
        expect(Math.min(...prices)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is not beaten by any prices on a grid', () => {
    const rows = [row(1, 2, 4), row(1.7, 4, 8), row(1.1, 2, 8), row(0.9, 2, 2), row(4, 1, 30)];
    const demand = [7, 11];
    const best = worth(bestPrices(rows, demand), demand);
    for (let cpu = 0; cpu <= 0.5; cpu += 0.01) {
      for (let memory = 0; memory <= 0.3; memory += 0.01) {
        const isAllowed = rows.every(({ amounts, usdPerHour }) => {
          return worth([cpu, memory], amounts) <= usdPerHour;
        });
        if (isAllowed) expect(worth([cpu, memory], demand)).toBeLessThanOrEqual(best + 1e-9);
      }
    }
  });
});
