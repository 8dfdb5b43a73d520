/**
 * provision: gives nodes to the pods that the Kubernetes scheduler could not place, and walks
 * every NodeClaim through its life.
 *
 * Woken through SQS, by the cluster webhook and by Joinery itself, and once a minute by
 * EventBridge. A message carries no state: it only says "look again", so a batch of any size is
 * one turn. What could not be done now is asked for again by a delayed hint, never by failing the
 * message: failed messages end in the dead-letter queue, and that is kept for bugs.
 */
import { clusterFigures } from '#lib/decide/cluster-figures.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import type { Remaining } from '#lib/runtime/middleware.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { tellTurn } from '#lib/runtime/tell-turn.ts';
import { takeTurn } from '#lib/runtime/turn.ts';
import { readWakeUp } from '#lib/triggers/wake-up.ts';

const STORY = {
  name: 'provision',
  decide: decideProvision,
  settles: true,
  asksInstanceStatus: true,
  measure: clusterFigures,
} as const;

/** The function that the queue and the heartbeat invoke. */
export const createProvision = (shell: Shell) => async (event: unknown, context: Remaining) => {
  const wakeUp = readWakeUp(event);
  const report = await takeTurn(shell, STORY, wakeUp, context);
  await tellTurn(shell, STORY, wakeUp, report);
};
