import { describe, expect, it } from 'vitest';
import { burst, playBurst } from '#lib/cli/stories/burst.ts';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { findStory, REPERTOIRE } from '#lib/cli/stories/repertoire.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { playStorm, storm } from '#lib/cli/stories/storm.ts';
import type { Stage, Story } from '#lib/cli/stories/story.ts';

/** The whole thousand takes a third of a minute. */
const FEWER_PODS = 40;
const LIMIT_MS = 300_000;

/** The two large ones with fewer pods. */
const playSmall = (story: Story, stage: Stage): Promise<void> => {
  if (story === burst) return playBurst(stage, FEWER_PODS);
  return story === storm ? playStorm(stage, FEWER_PODS) : story.play(stage);
};

describe('the repertoire', () => {
  it.each([
    [[], 1],
    [['story', '3'], 3],
    [['3'], 3],
    [['graviton'], 3],
    [['story', 'gpu'], 4],
  ])('finds by the words %j story %i', (words, number) => {
    expect(findStory(words)?.number).toBe(number);
  });

  it.each([[['99']], [['story', '3', '4']], [['inflate', 'gpu']]])(
    'has no story for the words %j',
    (words) => {
      expect(findStory(words)).toBeUndefined();
    },
  );

  it.each(REPERTOIRE.map((story) => [`${story.number}, ${story.name}`, story] as const))(
    'plays story %s, and its checks hold',
    async (_name, story) => {
      const { region, settings = {} } = story;
      const stage = setStage({ seed: 1, region, manifests: manifestsOf(story), settings });
      await playSmall(story, stage);
      stage.checkNoFunctionFailed();
      expect(stage.checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(stage.checks.length).toBeGreaterThan(2);
    },
    LIMIT_MS,
  );
});
