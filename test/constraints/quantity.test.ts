import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '#lib/constraints/quantity.ts';

describe('parseAmount', () => {
  it.each([
    ['cpu', '1', 1_000],
    ['cpu', '100m', 100],
    ['cpu', '0.1', 100],
    ['cpu', '.5', 500],
    ['cpu', '5.', 5_000],
    ['cpu', '+2', 2_000],
    ['cpu', '1.0001', 1_001],
    ['cpu', '1n', 1],
    ['cpu', '1u', 1],
    ['cpu', '2e3', 2_000_000],
    ['cpu', '1E-3', 1],
    ['cpu', '2k', 2_000_000],
    ['cpu', 2, 2_000],
    ['cpu', 0.25, 250],
    ['memory', '1Gi', 1_073_741_824],
    ['memory', '1.5Gi', 1_610_612_736],
    ['memory', '1G', 1_000_000_000],
    ['memory', '100m', 1],
    ['memory', '1500m', 2],
    ['memory', '0.1Ki', 103],
    ['memory', '1Ti', 1_099_511_627_776],
    ['memory', '1Pi', 1_125_899_906_842_624],
    ['memory', '0.001Ei', 1_152_921_504_606_847],
    ['memory', '3M', 3_000_000],
    ['memory', '1T', 1_000_000_000_000],
    ['memory', '1P', 1_000_000_000_000_000],
    ['memory', '0.001E', 1_000_000_000_000_000],
    ['memory', '128974848', 128_974_848],
    ['memory', '129e6', 129_000_000],
    ['ephemeral-storage', '20Gi', 21_474_836_480],
    ['hugepages-2Mi', '4Mi', 4_194_304],
    ['pods', '110', 110],
    ['nvidia.com/gpu', '500m', 1],
    ['cpu', '0', 0],
    ['cpu', '-0', 0],
    ['cpu', '0e999999999', 0],
  ])('reads %s %s', (resource, quantity, amount) => {
    expect(parseAmount(resource, quantity)).toBe(amount);
  });

  it.each([
    ['cpu', '-1', -1_000],
    ['cpu', '-0.0001', -1],
    ['memory', '-1500m', -2],
  ])('reads the negative %s %s, rounded away from zero', (resource, quantity, amount) => {
    expect(parseAmount(resource, quantity)).toBe(amount);
  });

  it.each([
    ['memory', '16Ei'],
    ['memory', '1E'],
    ['cpu', '9223372036854775807'],
    ['cpu', '1e999999999'],
    ['memory', '9'.repeat(10_000)],
    ['memory', 1e21],
  ])('saturates where %s %s is more than can be counted', (resource, quantity) => {
    expect(parseAmount(resource, quantity)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('rounds up what is too small to be counted', () => {
    expect(parseAmount('cpu', '1e-999999999')).toBe(1);
    expect(parseAmount('memory', `1.${'0'.repeat(10_000)}1`)).toBe(2);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1GB',
    '1gi',
    '1i',
    'Ki',
    '.',
    '+',
    '1e',
    '1e1.5',
    '--1',
    '1_000',
    '0x1',
    'NaN',
    '1KI',
    '1K',
  ])('finds no quantity in %j', (quantity) => {
    expect(parseAmount('memory', quantity)).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('finds no quantity in %d', (quantity) => {
    expect(parseAmount('cpu', quantity)).toBeUndefined();
  });

  it('is exact where floating point is not', () => {
    // 4.35 × 1000 is 4350.000000000001 in floating point, 1.005 × 1000 is 1004.9999999999999.
    expect(parseAmount('cpu', '4.35')).toBe(4_350);
    expect(parseAmount('cpu', '1.005')).toBe(1_005);
    expect(parseAmount('memory', '9007199254740991')).toBe(9_007_199_254_740_991);
  });
});

describe('formatAmount', () => {
  it.each([
    ['cpu', 1_600, '1600m'],
    ['cpu', 2_000, '2'],
    ['cpu', 2_000_000, '2k'],
    ['cpu', 0, '0'],
    ['cpu', -500, '-500m'],
    ['memory', 3_221_225_472, '3Gi'],
    ['memory', 1_000, '1000'],
    ['memory', 1_536 * 1_048_576, '1536Mi'],
    ['memory', -1_024, '-1Ki'],
    ['pods', 6, '6'],
    ['pods', 1_000, '1k'],
    ['pods', 1_100, '1100'],
  ])('writes %s %d as %s', (resource, amount, quantity) => {
    expect(formatAmount(resource, amount)).toBe(quantity);
  });

  it('is read back as the same amount', () => {
    const resources = fc.constantFrom('cpu', 'memory', 'pods', 'hugepages-1Gi', 'nvidia.com/gpu');

    fc.assert(
      fc.property(resources, fc.maxSafeInteger(), (resource, amount) => {
        expect(parseAmount(resource, formatAmount(resource, amount))).toBe(amount);
      }),
    );
  });

  it('gives quantities of equal value one spelling', () => {
    fc.assert(
      fc.property(fc.nat(1e9), (amount) => {
        const spellings = [`${amount}Mi`, `${amount * 1024}Ki`, `${amount * 1_048_576}`];
        const written = spellings.map((text) =>
          formatAmount('memory', parseAmount('memory', text) ?? -1),
        );
        expect(new Set(written).size).toBe(1);
      }),
    );
  });
});
