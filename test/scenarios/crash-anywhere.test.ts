import { beforeAll, describe, expect, it } from 'vitest';
import { type CrashRun, playInflate } from '#test/build/crash-run.ts';

/** Of some 2,500 calls; `JOINERY_CRASHES=1` tries every one, which takes an hour. */
const STEP = Number(process.env.JOINERY_CRASHES ?? 173);
/** Other calls with another seed. */
const FIRST = 1 + (Number(process.env.JOINERY_SEED ?? 0) % STEP);
/** A crash costs time, which these checks measure; everything else must hold as if nothing was. */
const ABOUT_TIME = /less than 5 s|within two minutes|within consolidateAfter/;
const HOURS_MS = 2 * 3_600_000;

describe('a function that dies at any call of story 1', () => {
  let undisturbed: CrashRun;

  beforeAll(async () => {
    undisturbed = await playInflate();
  });

  it('tells the story without a crash', () => {
    expect(undisturbed.failedChecks).toEqual([]);
    expect(undisturbed.nodes.length).toBeGreaterThan(0);
  });

  it.each([
    ['before it is made', 'never'],
    ['once it is made, without its answer', 'lost'],
  ] as const)(
    'ends with the same nodes and no instance twice, dying %s',
    async (_when, how) => {
      for (let at = how === 'never' ? FIRST : FIRST + 1; at <= undisturbed.calls; at += STEP) {
        const run = await playInflate({ at, how });
        expect(run.struck, `call ${at}`).toHaveLength(1);
        expect({
          at: `call ${at}: ${run.struck[0]}`,
          failed: run.failedChecks.filter((check) => !ABOUT_TIME.test(check)),
          nodes: run.nodes,
          instances: run.instances,
        }).toEqual({
          at: `call ${at}: ${run.struck[0]}`,
          failed: [],
          nodes: undisturbed.nodes,
          instances: undisturbed.instances,
        });
      }
    },
    HOURS_MS,
  );

  it('tells the same story, byte for byte, from the same seed', async () => {
    expect(await playInflate()).toEqual(undisturbed);
  });
});
