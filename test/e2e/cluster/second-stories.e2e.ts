import { describe, it } from 'vitest';
import { impossiblePod } from '#lib/cli/stories/impossible-pod.ts';
import { startupTaints } from '#lib/cli/stories/startup-taints.ts';
import { weightedFallback } from '#lib/cli/stories/weighted-fallback.ts';
import { play } from './play.ts';

describe('on a real control plane', () => {
  it.each([weightedFallback, impossiblePod, startupTaints])('plays story $number, $name', (story) =>
    play(story),
  );
});
