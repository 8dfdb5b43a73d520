import type { Interruption } from '#lib/model/interruption.ts';
import { whoseInstances } from '#lib/observe/whose-instances.ts';
import { readInterruptions } from '#lib/triggers/interruption-message.ts';
import type { QueueMessage } from '#lib/triggers/wake-up.ts';
import type { Shell } from './shell.ts';

/** What of a batch concerns this cluster. */
export interface OwnAnnouncements {
  readonly ours: readonly Interruption[];
  /** The ids of messages about instances of ours that no NodeClaim holds yet. */
  readonly later: readonly string[];
  /** The ids of messages by which an instance was announced, those that are not of `ours` too. */
  readonly toldBy: (instanceId: string) => readonly string[];
}

/**
 * A message about such an instance is handed over so many times, half a minute apart: a NodeClaim
 * learns of its instance within seconds. One more, and it would count as one that nobody can do.
 */
const MOST_RECEIVES = 3;

/** What ends or ended an instance whose NodeClaim is gone, or goes, leaves nothing to do. */
const ENDED: ReadonlySet<string> = new Set(['InstanceStopping', 'InstanceTerminated']);

/**
 * The announcements of a batch that are of this cluster's instances. What cannot be read, is of
 * nobody here, or has come back too often is dropped, and never holds up the rest. What EC2 cannot be
 * asked about comes back as long as the queue lets it, and ends among its dead letters.
 */
export async function ownAnnouncements(
  shell: Shell,
  messages: readonly QueueMessage[],
): Promise<OwnAnnouncements> {
  const read = messages.map((message) => ({
    message,
    heard: readInterruptions(message.body, shell.now()),
  }));
  const heard = read.flatMap((each) => each.heard);
  const toldBy = (id: string): readonly string[] =>
    read
      .filter((each) => each.heard.some(({ instanceId }) => instanceId === id))
      .map(({ message }) => message.id);
  if (heard.length === 0) return { ours: [], later: [], toldBy };
  const ids = new Set(heard.map(({ instanceId }) => instanceId));
  const doubtful = new Set(
    heard.flatMap(({ kind, instanceId }) => (ENDED.has(kind) ? [] : [instanceId])),
  );
  const { ours, going, joining, unanswered } = await whoseInstances(shell, ids, doubtful);
  const unknown = unanswered?.ids ?? new Set();
  if (unanswered !== undefined) {
    shell.log.error('EC2 did not say whose instances are; what was announced of them comes back', {
      instances: [...unanswered.ids].sort(),
      because: unanswered.because,
    });
  }
  const waiting = read.filter((each) =>
    each.heard.some(({ instanceId }) => joining.has(instanceId)),
  );
  const later = waiting.filter(({ message }) => message.receives < MOST_RECEIVES);
  if (waiting.length > later.length) {
    shell.log.warn('announcements of instances that no NodeClaim came to hold were dropped', {
      instances: [...joining].sort(),
    });
  }
  return {
    ours: heard.filter(
      ({ kind, instanceId }) => ours.has(instanceId) && !(ENDED.has(kind) && going.has(instanceId)),
    ),
    later: read
      .filter(
        (each) => later.includes(each) || each.heard.some((one) => unknown.has(one.instanceId)),
      )
      .map(({ message }) => message.id),
    toldBy,
  };
}
