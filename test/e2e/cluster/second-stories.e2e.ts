import { describe, it } from 'vitest';
import { deletedByHand } from '#lib/cli/stories/deleted-by-hand.ts';
import { impossiblePod } from '#lib/cli/stories/impossible-pod.ts';
import { moveIn } from '#lib/cli/stories/move-in.ts';
import { startupTaints } from '#lib/cli/stories/startup-taints.ts';
import { weightedFallback } from '#lib/cli/stories/weighted-fallback.ts';
import { play } from './play.ts';

describe('on a real control plane', () => {
  it.each([weightedFallback, impossiblePod, startupTaints, deletedByHand, moveIn])(
    'plays story $number, $name',
    (story) => play(story),
  );
});
