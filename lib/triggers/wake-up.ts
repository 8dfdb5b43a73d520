import type { Hint } from '#lib/model/hint.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { decodeHint, isObject } from './hint.ts';

/** What woke a function: a schedule, hints from the queue, or what EC2 announced. */
export type WakeUp =
  | { readonly kind: 'schedule' }
  | { readonly kind: 'hints'; readonly hints: readonly Hint[]; readonly unread: number }
  | { readonly kind: 'announcements'; readonly interruptions: readonly Interruption[] };

/**
 * What an event that reached provision, consolidate or drift says. An SQS batch is its hints,
 * messages that hold none counted in `unread`; everything else is a schedule, because a look is
 * all that any event can ask for.
 *
 * Source: AWS Lambda, "Using Lambda with Amazon SQS", event shape.
 */
export function readWakeUp(event: unknown): WakeUp {
  if (!isObject(event) || !Array.isArray(event.Records)) return { kind: 'schedule' };
  const bodies = readBodies(event);
  const hints = bodies.map(decodeHint).filter((hint) => hint !== undefined);
  return { kind: 'hints', hints, unread: event.Records.length - hints.length };
}

/** The bodies of the queue messages in `event`, in their order; none where it is no SQS batch. */
function readBodies(event: unknown): readonly string[] {
  const records: unknown = isObject(event) ? event.Records : undefined;
  if (!Array.isArray(records)) return [];
  return records.flatMap((record: unknown) =>
    isObject(record) && typeof record.body === 'string' ? [record.body] : [],
  );
}

/** A message of a queue, as Lambda hands it over. */
export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  /** How often it has been handed over, this time included. */
  readonly receives: number;
}

/** The messages in `event`, in their order; none where it is no SQS batch. */
export function readMessages(event: unknown): readonly QueueMessage[] {
  const records: unknown = isObject(event) ? event.Records : undefined;
  if (!Array.isArray(records)) return [];
  return records.flatMap((record: unknown) => {
    if (!isObject(record) || typeof record.body !== 'string') return [];
    const attributes = isObject(record.attributes) ? record.attributes : {};
    const id = typeof record.messageId === 'string' ? record.messageId : '';
    return [{ id, body: record.body, receives: Number(attributes.ApproximateReceiveCount ?? 1) }];
  });
}
