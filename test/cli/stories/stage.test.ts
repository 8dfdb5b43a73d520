import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';

describe('the time until all pods run', () => {
  it('is that of the last wait for pods, not of a look at pods that run already', async () => {
    const stage = setStage({
      seed: 1,
      region: inflate.region,
      manifests: manifestsOf(inflate),
      settings: {},
    });
    await stage.setUp();
    stage.deploy();
    stage.scale('inflate', 2);
    await stage.untilRunning('inflate', 2, 120_000);
    const waited = stage.allRunningAfterMs();
    stage.scale('inflate', 1);
    await stage.world.runUntil(() => false, 300_000);
    await stage.untilRunning('inflate', 1, 60_000);
    await stage.untilAllRun(60_000);

    expect(waited).toBeGreaterThan(0);
    expect(stage.allRunningAfterMs()).toBe(waited);
  });
});
