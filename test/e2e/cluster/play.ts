import { expect } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import type { Story } from '#lib/cli/stories/story.ts';
import { type Pace, type RealStage, realStage } from '../stack/real-stage.ts';
import { type RealWorld, realWorld, type WorldOptions } from '../stack/real-world.ts';

/** A story that was played, while its world still stands. */
interface Played {
  readonly stage: RealStage;
  readonly world: RealWorld;
}

/** How a story is played here. */
export interface Playing extends WorldOptions {
  readonly pace?: Partial<Pace>;
  /** Looks at what the story left behind. */
  readonly then?: (played: Played) => Promise<void> | void;
}

/** Plays a story on a cluster of its own; fails where one of the story's checks does. */
export async function play(story: Story, playing: Playing = {}): Promise<void> {
  const { pace, then, ...options } = playing;
  const world = await realWorld({ region: story.region, ...options });
  try {
    const stage = realStage(world, manifestsOf(story), pace);
    await story.play(stage);
    stage.checkNoFunctionFailed();
    tell(story, stage, world);
    expect(stage.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(stage.checks.length).toBeGreaterThan(2);
    await then?.({ stage, world });
  } finally {
    await world.end();
  }
}

/** What a person who looks on wants to know: where it stands, what was made, what held. */
function tell(story: Story, stage: RealStage, { plane }: RealWorld): void {
  const nodes = stage.peak();
  const usd = nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
  const lines = [
    `Story ${story.number}: ${story.name}, on a real control plane (${plane.folder})`,
    `  ${nodes.length} nodes, $${usd.toFixed(4)}/h, all running after ${(stage.runningAfterMs() / 1_000).toFixed(1)} s`,
    ...stage.checks.map(
      ({ name, ok, found }) => `  ${ok ? 'ok    ' : 'FAILED'} ${name} (${found})`,
    ),
  ];
  // biome-ignore lint/suspicious/noConsole: the report is for whoever reads the output.
  console.info(lines.join('\n'));
}
