import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyAgedCluster } from '#test/build/any-aged-cluster.ts';
import { consolidationPlan } from '#test/build/consolidating.ts';
import { unfairness } from './checker.ts';

describe('any consolidation', () => {
  it('takes what it may, gives every pod a place, and is never dearer', () => {
    fc.assert(
      fc.property(anyAgedCluster, (snapshot) => {
        const { plan, creations } = consolidationPlan(snapshot);
        expect(unfairness(snapshot, plan, creations)).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });
});
