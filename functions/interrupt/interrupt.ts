/**
 * interrupt: hears what EC2 announces for instances. It reads the announcements and says in its
 * log which it heard; it does not act on them yet, so a reclaimed node is replaced only when its
 * pods are pending again, by provision.
 */
import type { Remaining } from '#lib/runtime/middleware.ts';
import type { Shell } from '#lib/runtime/shell.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import { readBodies } from '#lib/triggers/wake-up.ts';

/** The function that the interruption queue invokes. */
export const createInterrupt = (shell: Shell) => async (event: unknown, _context: Remaining) => {
  const interruptions = readBodies(event).flatMap((body) => readInterruptions(body, shell.now()));
  if (interruptions.length === 0) return;
  const heard = interruptions.map(({ kind, instanceId }) => `${kind} of ${instanceId}`);
  shell.log.warn(`${heard.join(', ')}: heard, and left alone by this version`);
};
