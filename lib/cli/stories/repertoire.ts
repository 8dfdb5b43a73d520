import { burst } from './burst.ts';
import { consolidation } from './consolidation.ts';
import { deletedByHand } from './deleted-by-hand.ts';
import { doNotDisrupt } from './do-not-disrupt.ts';
import { expiry } from './expiry.ts';
import { gpu } from './gpu.ts';
import { graviton } from './graviton.ts';
import { highMemory } from './high-memory.ts';
import { impossiblePod } from './impossible-pod.ts';
import { inflate } from './inflate.ts';
import { layeredConstraints } from './layered-constraints.ts';
import { moveIn } from './move-in.ts';
import { notOurs } from './not-ours.ts';
import { pdbAndDrift } from './pdb-and-drift.ts';
import { rebalance } from './rebalance.ts';
import { scheduledMaintenance } from './scheduled-maintenance.ts';
import { selfHealing } from './self-healing.ts';
import { soldOut } from './sold-out.ts';
import { spotToSpot } from './spot-to-spot.ts';
import { spotWarning } from './spot-warning.ts';
import { startupTaints } from './startup-taints.ts';
import { stateChange } from './state-change.ts';
import { storm } from './storm.ts';
import type { Story } from './story.ts';
import { toZeroAndBack } from './to-zero-and-back.ts';
import { twoClusters } from './two-clusters.ts';
import { uninstall } from './uninstall.ts';
import { weightedFallback } from './weighted-fallback.ts';
import { whatDrifts } from './what-drifts.ts';
import { windowsAndBudgets } from './windows-and-budgets.ts';
import { zonalShift } from './zonal-shift.ts';

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
  consolidation,
  windowsAndBudgets,
  spotToSpot,
  pdbAndDrift,
  whatDrifts,
  expiry,
  doNotDisrupt,
  deletedByHand,
  selfHealing,
  toZeroAndBack,
  spotWarning,
  rebalance,
  scheduledMaintenance,
  stateChange,
  storm,
  notOurs,
  zonalShift,
  moveIn,
  twoClusters,
  uninstall,
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
