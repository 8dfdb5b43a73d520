import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyAgedCluster } from '#test/build/any-aged-cluster.ts';
import { consolidationPlan } from '#test/build/consolidating.ts';
import { unfairness } from './checker.ts';

/** How many clusters are tried; a night's worth is JOINERY_FUZZ=5000. */
const CLUSTERS = Number(process.env.JOINERY_FUZZ ?? 120);
const PATIENCE_MS = 60_000 + CLUSTERS * 200;

describe('any consolidation', () => {
  it(
    'takes what it may, gives every pod a place, and is never dearer',
    () => {
      fc.assert(
        fc.property(anyAgedCluster, (snapshot) => {
          const { plan, creations } = consolidationPlan(snapshot);
          expect(unfairness(snapshot, plan, creations)).toEqual([]);
        }),
        { numRuns: CLUSTERS },
      );
    },
    PATIENCE_MS,
  );
});
