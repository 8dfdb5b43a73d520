import { describe, it } from 'vitest';
import { deletedByHand } from '#lib/cli/stories/deleted-by-hand.ts';
import { moveIn } from '#lib/cli/stories/move-in.ts';
import { spotWarning } from '#lib/cli/stories/spot-warning.ts';
import { play } from './play.ts';

describe('on a real control plane', () => {
  it.each([deletedByHand, moveIn, spotWarning])('plays story $number, $name', (story) =>
    play(story),
  );
});
