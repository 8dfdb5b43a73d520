/**
 * drift: keeps fresh what every EC2NodeClass resolved to, what EC2 sells and for how much, and the
 * hashes by which drift is seen; marks what has drifted and proposes what replaces it, within
 * budgets. It only proposes: provision carries commands out.
 */
import { decideDrift } from '#lib/decide/drift.ts';
import type { Remaining } from '#lib/runtime/middleware.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { tellTurn } from '#lib/runtime/tell-turn.ts';
import { takeTurn } from '#lib/runtime/turn.ts';
import { readWakeUp } from '#lib/triggers/wake-up.ts';

const STORY = {
  name: 'drift',
  decide: decideDrift,
  observe: { resolveAllNodeClasses: true, marketUpkeep: true, listInstances: true },
  looksFirst: true,
} as const;

/** The function that the drift schedule invokes. */
export const createDrift = (shell: Shell) => async (event: unknown, context: Remaining) => {
  const wakeUp = readWakeUp(event);
  const report = await takeTurn(shell, STORY, wakeUp, context);
  await tellTurn(shell, STORY, wakeUp, report);
};
