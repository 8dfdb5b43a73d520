import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * The cases of Karpenter's suites of a NodeClaim's life, by number, and which test restates each:
 * its title opens with the number.
 * Source: karpenter v1.14, nodeclaim/{lifecycle,expiration,consistency}, node/{termination,health},
 * nodeclaim/{disruption,podevents}, nodepool/counter, static/provisioning.
 */
const RESTATED: Readonly<Record<string, readonly number[]>> = {
  'test/conformance/life/joining.test.ts': [90, 91, 126, 127, 128, 132],
  'test/conformance/life/ending.test.ts': [81, 84, 85, 101, 135, 136, 155, 156, 157],
  'test/conformance/life/later.test.ts': [83, 86, 130, 134, 139, 147, 154, 158, 165, 171],
  'test/conformance/life/static-pools.test.ts': [149, 150],
  'test/lifecycle/termination/drain.test.ts': [77, 78, 80, 153],
  'test/lifecycle/status/pod-events.test.ts': [145, 146],
  'test/act/drain.test.ts': [151, 152],
  'test/lifecycle/status/node-pool-status.test.ts': [161],
};

/** Those that have no counterpart here, and why. */
const NOT_APPLICABLE: Readonly<Record<number, string>> = {
  131: 'no provider of ours has registration hooks',
  133: 'devices that are claimed are refused, so no driver is waited for',
  164: 'a Snapshot is read anew: nothing can be out of sync',
  166: 'nodes are not marked in memory',
};

const numbersIn = (file: string): ReadonlySet<number> =>
  new Set(
    [...readFileSync(file, 'utf8').matchAll(/['`](\d+(?:, \d+)*): /g)].flatMap(([, numbers = '']) =>
      numbers.split(', ').map(Number),
    ),
  );

describe('the cases of a NodeClaim’s life', () => {
  it.each(Object.entries(RESTATED))('are restated in %s', (file, numbers) => {
    const claimed = numbersIn(file);

    expect(numbers.filter((number) => !claimed.has(number))).toEqual([]);
  });

  it('are counted once', () => {
    const all = [...Object.values(RESTATED).flat(), ...Object.keys(NOT_APPLICABLE).map(Number)];

    expect(new Set(all).size).toBe(all.length);
  });
});
