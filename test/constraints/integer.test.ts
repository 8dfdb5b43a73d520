import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_INT64, MIN_INT64, parseInteger } from '#lib/constraints/integer.ts';

describe('parseInteger', () => {
  it.each([
    ['08', 8n],
    ['+5', 5n],
    ['-5', -5n],
    ['-0', 0n],
    ['0000000000000000000000000000001', 1n],
    ['9007199254740993', 9_007_199_254_740_993n],
  ])('reads %s', (text, integer) => {
    expect(parseInteger(text)).toBe(integer);
  });

  it.each(['', '+', '-', ' 1', '1 ', '1.0', '1e3', '0x10', '1_000', '٣', '--1'])(
    'finds no integer in %j',
    (text) => {
      expect(parseInteger(text)).toBeUndefined();
    },
  );

  it('reads every integer of 64 bits and no larger one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN_INT64, max: MAX_INT64 }), (integer) => {
        expect(parseInteger(integer.toString())).toBe(integer);
      }),
    );
    expect(parseInteger((MAX_INT64 + 1n).toString())).toBeUndefined();
    expect(parseInteger((MIN_INT64 - 1n).toString())).toBeUndefined();
  });
});
