import { describe, it } from 'vitest';
import { gpu } from '#lib/cli/stories/gpu.ts';
import { graviton } from '#lib/cli/stories/graviton.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { layeredConstraints } from '#lib/cli/stories/layered-constraints.ts';
import { soldOut } from '#lib/cli/stories/sold-out.ts';
import { play } from './play.ts';

describe('on a real control plane', () => {
  it.each([inflate, layeredConstraints, graviton, gpu])('plays story $number, $name', (story) =>
    play(story),
  );

  it(
    'plays story 12, sold-out, with the three minutes for which EC2 is not asked again',
    () => play(soldOut, { pace: { longestPauseMs: 200_000 } }),
    600_000,
  );
});
