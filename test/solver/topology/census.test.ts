import { describe, expect, it } from 'vitest';
import { createCensus, type Place } from '#lib/solver/topology/census.ts';
import { spreadRule } from '#lib/solver/topology/rule-of.ts';
import { aPod } from '#test/build/pods.ts';
import { aSpread, ZONE_KEY } from '#test/build/topology.ts';

const rule = spreadRule(aSpread(), aPod({ meta: { labels: { app: 'web' } } }));
const inZones = (...letters: string[]): Place =>
  new Map([[ZONE_KEY, letters.map((letter) => `us-east-1${letter}`)]]);
const surely = () => 'surely' as const;
const owner = [{ rule, owns: true, selected: true }];
const counted = [{ rule, owns: false, selected: true }];

/** Two owners in zone a, where nobody compares with zone b yet. */
function twoInA() {
  const census = createCensus([rule], () => [], new Set());
  census.record(owner, inZones('a'), 2);
  return census;
}

describe('a node that nobody has compared with yet', () => {
  it('strands owners if it is empty, wherever it may come to be', () => {
    expect(twoInA().strandsOwners([], inZones('b'), surely)).toBe(true);
    expect(twoInA().strandsOwners([], inZones('a', 'b'), surely)).toBe(true);
  });

  it('strands nobody where its first pod counts, unless it only may count', () => {
    expect(twoInA().strandsOwners(counted, inZones('b'), surely)).toBe(false);
    expect(twoInA().strandsOwners(counted, inZones('b'), () => 'maybe')).toBe(true);
  });

  it('strands nobody where it never counts, or is in a domain that is compared by now', () => {
    const census = twoInA();
    expect(census.strandsOwners([], inZones('b'), () => 'never')).toBe(false);
    census.addNode(inZones('b'), surely);

    expect(census.strandsOwners([], inZones('b'), surely)).toBe(false);
    expect(census.objection(owner, inZones('a'), () => true)?.rule).toBe(rule);
  });
});
