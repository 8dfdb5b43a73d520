/**
 * drift: keeps fresh what every EC2NodeClass resolved to, what EC2 sells and for how much, and the
 * hashes by which drift is seen.
 * Nodes that have drifted are not replaced yet; they are named in its log and left alone.
 */
import { decideDrift } from '#lib/decide/drift.ts';
import type { Remaining } from '#lib/runtime/middleware.ts';
import { logTurn } from '#lib/runtime/report.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { takeTurn } from '#lib/runtime/turn.ts';
import { readWakeUp } from '#lib/triggers/wake-up.ts';

const STORY = {
  name: 'drift',
  decide: decideDrift,
  observe: { resolveAllNodeClasses: true, marketUpkeep: true },
  looksFirst: true,
} as const;

/** The function that the drift schedule invokes. */
export const createDrift = (shell: Shell) => async (event: unknown, context: Remaining) => {
  const wakeUp = readWakeUp(event);
  const report = await takeTurn(shell, STORY, wakeUp, context);
  logTurn(shell, STORY.name, wakeUp, report);
};
