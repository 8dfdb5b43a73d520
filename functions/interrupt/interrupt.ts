/**
 * interrupt: does what EC2 and AWS Health announce of instances: marks what is taken back, deletes
 * the NodeClaims of machines that go, launches nodes for their pods and drains them, all at once.
 *
 * Announcements come through a queue and name an instance, not a cluster. So it is asked first whose
 * they are; most are nobody's here and end there. One that is ours and that no NodeClaim holds yet
 * comes back after the queue's visibility timeout, a few times, as does one whose NodeClaim could not
 * be deleted or marked; what cannot be read is dropped.
 */
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { Remaining } from '#lib/runtime/middleware.ts';
import { ownAnnouncements } from '#lib/runtime/own-announcements.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { tellTurn } from '#lib/runtime/tell-turn.ts';
import { takeTurn } from '#lib/runtime/turn.ts';
import { undoneIn } from '#lib/runtime/undone-announcements.ts';
import { readMessages } from '#lib/triggers/wake-up.ts';

/** The function that the interruption queue invokes; answers which messages are to come back. */
export const createInterrupt = (shell: Shell) => async (event: unknown, context: Remaining) => {
  const messages = readMessages(event);
  const { ours, later, toldBy } = await ownAnnouncements(shell, messages);
  if (ours.length === 0) {
    shell.log.info('interrupt: nothing of ours', {
      messages: messages.length,
      later: later.length,
    });
  }
  const undone = ours.length > 0 ? await interrupt(shell, ours, context) : [];
  const again = new Set([...later, ...undone.flatMap(toldBy)]);
  return { batchItemFailures: [...again].map((itemIdentifier) => ({ itemIdentifier })) };
};

async function interrupt(
  shell: Shell,
  interruptions: readonly Interruption[],
  context: Remaining,
): Promise<readonly string[]> {
  const story = {
    name: 'interrupt',
    decide: (snapshot: Parameters<typeof decideInterrupt>[0]) =>
      decideInterrupt(snapshot, interruptions),
    looksFirst: true,
  } as const;
  const wakeUp = { kind: 'announcements', interruptions } as const;
  const report = await takeTurn(shell, story, wakeUp, context);
  await tellTurn(shell, story, wakeUp, report);
  return undoneIn(report.rounds);
}
