import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * The cases of Karpenter's suites of drift, hashes and the disruption queue, by number, and which
 * test restates each: its title opens with the number.
 * Source: karpenter v1.14, disruption, nodeclaim/disruption, nodepool/hash.
 */
const RESTATED: Readonly<Record<string, readonly number[]>> = {
  'test/conformance/renewal/renewal.test.ts': [29, 30, 33, 34, 56, 59, 60, 107, 110, 111, 170],
  'test/conformance/renewal/static-renewal.test.ts': [62, 63, 64, 65],
  'test/lifecycle/health/drifted.test.ts': [141, 142, 143],
  'test/lifecycle/status/hash-stamping.test.ts': [93, 162],
  'test/model/node-pool-hash.test.ts': [92],
};

/** Those that have no counterpart here, and why. */
const NOT_APPLICABLE: Readonly<Record<number, string>> = {
  55: 'a Snapshot is read anew: what it lacks is not there',
};

const textOf = (file: string): string => readFileSync(file, 'utf8');
const numbersIn = (file: string): ReadonlySet<number> =>
  new Set(
    [...textOf(file).matchAll(/['`](\d+(?:, \d+)*): /g)].flatMap(([, numbers = '']) =>
      numbers.split(', ').map(Number),
    ),
  );

describe('the cases of drift and of the disruption queue', () => {
  it.each(Object.entries(RESTATED))('are restated in %s', (file, numbers) => {
    expect([...numbersIn(file)].sort((a, b) => a - b)).toEqual(numbers);
  });

  it('are counted once', () => {
    const all = [...Object.values(RESTATED).flat(), ...Object.keys(NOT_APPLICABLE).map(Number)];

    expect(new Set(all).size).toBe(all.length);
  });
});
