import { describe, expect, it } from 'vitest';
import { playRenewal } from '#test/build/crash-renewal.ts';

/** Of some 1,600 calls; `JOINERY_CRASHES=1` tries every one, which takes hours. */
const STEP = Number(process.env.JOINERY_CRASHES ?? 547);
/** Other calls with another seed. */
const FIRST = 200 + (Number(process.env.JOINERY_SEED ?? 0) % STEP);
const HOURS_MS = 4 * 3_600_000;

describe('a function that dies at any call while a drifted node is replaced', () => {
  it(
    'leaves one new node, all pods, and nothing that a command wrote',
    async () => {
      const { calls, end, fewestReady } = await playRenewal();
      expect(end).toMatchObject({ isRenewed: true, podsReady: 2, left: [], running: 1 });
      expect(fewestReady).toBeGreaterThan(0);

      for (let at = calls.before + FIRST; at <= calls.all; at += STEP) {
        const how = (at - calls.before) % 2 === 0 ? 'never' : 'lost';
        const run = await playRenewal({ at, how });
        expect(run.struck, `call ${at}`).toHaveLength(1);
        expect({ at: `call ${at}: ${run.struck[0]}`, ...run.end }).toEqual({
          at: `call ${at}: ${run.struck[0]}`,
          ...end,
        });
        expect(run.fewestReady).toBeGreaterThan(0);
      }
    },
    HOURS_MS,
  );
});
