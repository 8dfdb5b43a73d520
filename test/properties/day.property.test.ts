/**
 * Whole days with functions that die: deployments breathe, roll out and come in batches, some of them
 * not to be disturbed, and every look may end after any of its writes. After each the rules of
 * never.ts are asked. JOINERY_DAY_HOURS makes the days longer (24), JOINERY_RUNS plays more of them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/sim/random.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { type Look, playDay } from '#test/bench/day/play-day.ts';
import { forgotten, overBudget, wrongsOf } from './never.ts';

const HOURS = Number(process.env.JOINERY_DAY_HOURS ?? 2);
const RUNS = Number(process.env.JOINERY_RUNS ?? 1);
/** Every so manieth look ends early. */
const DEATHS = 4;
const SETTLED_MINUTES = 10;

/** Nodes that are deleted to save money while what replaces them costs more. */
function dearer({ seen, done }: Look): readonly string[] {
  const deleted = new Set(
    done.flatMap((action) =>
      action.kind === 'delete' && action.because === 'Underutilized' ? [action.object.uid] : [],
    ),
  );
  const going = seen.nodes.filter(({ claim }) => deleted.has(claim?.meta.uid ?? ''));
  const records = Map.groupBy(
    going,
    ({ claim }) => claim?.meta.annotations['joinery.dev/disruption'] ?? '',
  );
  return [...records].flatMap(([text, nodes]) => {
    const { id, members, replacements = [] } = JSON.parse(text);
    if (nodes.length < members.length) return [];
    const coming = seen.nodes.filter(({ claim }) => replacements.includes(claim?.meta.name));
    const [before, after] = [nodes, coming].map((some) =>
      some.reduce((sum, state) => sum + (priceOfNode(state, seen.catalog) ?? 0), 0),
    );
    return (after ?? 0) < (before ?? 0) ? [] : [`${id}: $${before}/h for $${after}/h`];
  });
}

function played(seed: number) {
  const random = seededRandom(seed, 'deaths');
  const minutes = HOURS * 60;
  const wrongs: string[] = [];
  let last: Look | undefined;
  const figures = playDay({
    pods: 48,
    minutes: minutes + SETTLED_MINUTES,
    countedFrom: 0,
    guarded: true,
    seed,
    consolidator: 'Joinery',
    capacityTypes: ['on-demand'],
    moveShare: 0.1,
    diesAfter: (minute) =>
      minute < minutes && random.between(1, DEATHS) === 1 ? random.between(0, 6) : undefined,
    hear: (look) => {
      last = look;
      const found = [
        ...wrongsOf(look.seen, look.plan, look.done),
        ...overBudget(look.seen, look.left),
        ...dearer(look),
      ];
      wrongs.push(...found.map((each) => `${new Date(look.seen.takenAt).toISOString()}: ${each}`));
    },
  });
  return { wrongs, forgotten: last ? forgotten(last.left) : [], figures };
}

describe('over a day in which functions die', () => {
  it('no command does what it must never do, and no pod is moved twice within an hour', () => {
    let moved = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const { wrongs, forgotten: left, figures } = played(seed);
        moved += figures.podsMoved;
        expect(wrongs).toEqual([]);
        expect(left).toEqual([]);
        expect(figures.movedAgain).toBe(0);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(moved).toBeGreaterThan(0);
  }, 3_600_000);
});
