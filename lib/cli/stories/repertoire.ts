import { burst } from './burst.ts';
import { deletedByHand } from './deleted-by-hand.ts';
import { expiry } from './expiry.ts';
import { gpu } from './gpu.ts';
import { graviton } from './graviton.ts';
import { highMemory } from './high-memory.ts';
import { impossiblePod } from './impossible-pod.ts';
import { inflate } from './inflate.ts';
import { layeredConstraints } from './layered-constraints.ts';
import { moveIn } from './move-in.ts';
import { pdbAndDrift } from './pdb-and-drift.ts';
import { selfHealing } from './self-healing.ts';
import { soldOut } from './sold-out.ts';
import { startupTaints } from './startup-taints.ts';
import type { Story } from './story.ts';
import { weightedFallback } from './weighted-fallback.ts';

/** Every story that plays, by number. */
export const REPERTOIRE: readonly Story[] = [
  inflate,
  layeredConstraints,
  graviton,
  gpu,
  highMemory,
  weightedFallback,
  impossiblePod,
  startupTaints,
  soldOut,
  burst,
  expiry,
  deletedByHand,
  selfHealing,
  moveIn,
  pdbAndDrift,
];

/**
 * The story that `words` ask for: "story 3", "3", "graviton"; the first where there are none.
 * Undefined where there is no such story.
 */
export function findStory(words: readonly string[]): Story | undefined {
  const wanted = words.filter((word) => word !== 'story');
  if (wanted.length === 0) return REPERTOIRE[0];
  if (wanted.length > 1) return undefined;
  return REPERTOIRE.find(({ number, name }) => String(number) === wanted[0] || name === wanted[0]);
}
