/**
 * consolidate: proposes to remove nodes that are not worth their price, empty ones and such whose
 * pods fit elsewhere or on cheaper nodes, several commands in one pass. It only proposes: provision
 * makes what comes first, drains and terminates.
 */
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import type { Remaining } from '#lib/runtime/middleware.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { tellTurn } from '#lib/runtime/tell-turn.ts';
import { takeTurn } from '#lib/runtime/turn.ts';
import { readWakeUp } from '#lib/triggers/wake-up.ts';

const STORY = { name: 'consolidate', decide: decideConsolidate, looksFirst: true } as const;

/** The function that the consolidation schedule invokes. */
export const createConsolidate = (shell: Shell) => async (event: unknown, context: Remaining) => {
  const wakeUp = readWakeUp(event);
  const report = await takeTurn(shell, STORY, wakeUp, context);
  await tellTurn(shell, STORY, wakeUp, report);
};
