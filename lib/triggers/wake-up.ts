import type { Hint } from '#lib/model/hint.ts';
import { decodeHint, isObject } from './hint.ts';

/** What woke a function: a schedule, or hints from the queue. */
export type WakeUp =
  | { readonly kind: 'schedule' }
  | { readonly kind: 'hints'; readonly hints: readonly Hint[]; readonly unread: number };

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
export function readBodies(event: unknown): readonly string[] {
  const records: unknown = isObject(event) ? event.Records : undefined;
  if (!Array.isArray(records)) return [];
  return records.flatMap((record: unknown) =>
    isObject(record) && typeof record.body === 'string' ? [record.body] : [],
  );
}
