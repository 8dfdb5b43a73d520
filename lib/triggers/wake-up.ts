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
  const records = isObject(event) ? event.Records : undefined;
  if (!Array.isArray(records)) return { kind: 'schedule' };
  const bodies = records.map((record: unknown) => (isObject(record) ? record.body : undefined));
  const hints = bodies.flatMap((body) => {
    const hint = typeof body === 'string' ? decodeHint(body) : undefined;
    return hint === undefined ? [] : [hint];
  });
  return { kind: 'hints', hints, unread: bodies.length - hints.length };
}
