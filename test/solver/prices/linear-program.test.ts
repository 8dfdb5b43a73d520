import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amounts, worth } from '#lib/solver/amounts.ts';
import { createPricer, type PriceRow } from '#lib/solver/prices/linear-program.ts';
import { bestValueOf } from '#test/build/lp-library.ts';

const row = (usdPerHour: number, ...amounts: number[]): PriceRow => ({ usdPerHour, amounts });

const bestPrices = (rows: readonly PriceRow[], demand: Amounts): Amounts => [
  ...createPricer(rows, demand.length)(Float64Array.from(demand)),
];

/** What `demand` is worth at the best prices, as the HiGHS library finds it. */
function worthByLibrary(rows: readonly PriceRow[], demand: Amounts): number {
  const terms = (numbers: Amounts): string =>
    numbers.map((number, axis) => `${number} p${axis}`).join(' + ');
  const lines = rows.map(
    ({ amounts, usdPerHour }, at) => ` r${at}: ${terms(amounts)} <= ${usdPerHour}`,
  );
  const program = `Maximize\n worth: ${terms(demand)}\nSubject To\n${lines.join('\n')}\nEnd\n`;
  return bestValueOf(program);
}

const amount = fc.integer({ min: 0, max: 1000 });
const someRow = fc
  .record({
    usdPerHour: fc.integer({ min: 0, max: 100 }),
    cpu: amount,
    memory: amount,
    gpu: amount,
  })
  .map(({ usdPerHour, cpu, memory, gpu }) => row(usdPerHour / 100, cpu, memory, gpu));
const someRows = fc.array(someRow, { minLength: 1, maxLength: 20 });
const someDemand = fc.tuple(amount, amount, amount);

describe('createPricer', () => {
  it('finds the prices at which the two cheapest rows are worth just what they cost', () => {
    const rows = [row(2, 1, 2), row(3, 3, 2), row(9, 1, 1)];

    const [cpu = 0, memory = 0] = bestPrices(rows, [5, 5]);

    expect(cpu).toBeCloseTo(0.5);
    expect(memory).toBeCloseTo(0.75);
  });

  it('gives a resource that no row has no price', () => {
    expect(bestPrices([row(1, 1, 0)], [1, 1])).toEqual([1, 0]);
  });

  it('gives a resource that comes for nothing no price', () => {
    expect(bestPrices([row(1, 1, 1), row(0, 0, 1)], [1, 1])).toEqual([1, 0]);
  });

  it('tells resources apart that are ten orders of magnitude apart', () => {
    const [cpu = 0, memory = 0] = bestPrices([row(0.1, 2000, 8e9), row(0.2, 4000, 8e9)], [1, 1e9]);

    expect(cpu * 2000 + memory * 8e9).toBeCloseTo(0.1);
  });

  it('never makes a row worth more than it costs, nor anything worth less than nothing', () => {
    fc.assert(
      fc.property(
        someRows,
        fc.array(someDemand, { minLength: 1, maxLength: 4 }),
        (rows, demands) => {
          const pricer = createPricer(rows, 3);
          for (const demand of demands) {
            const prices = [...pricer(Float64Array.from(demand))];
            for (const each of rows) {
              expect(worth(prices, each.amounts)).toBeLessThanOrEqual(each.usdPerHour + 1e-9);
            }
            expect(Math.min(...prices)).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  it('finds what an LP library finds, for one demand after the other', () => {
    fc.assert(
      fc.property(
        someRows,
        fc.array(someDemand, { minLength: 1, maxLength: 4 }),
        (rows, demands) => {
          const pricer = createPricer(rows, 3);
          const sold = [0, 1, 2].map((axis) =>
            rows.some(({ amounts }) => (amounts[axis] ?? 0) > 0) ? 1 : 0,
          );
          for (const demand of demands) {
            const served = demand.map((each, axis) => each * (sold[axis] ?? 0));
            const best = worthByLibrary(rows, served);
            expect(worth([...pricer(Float64Array.from(served))], served)).toBeCloseTo(best, 6);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
