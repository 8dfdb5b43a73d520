import type { Hint } from '#lib/model/hint.ts';

/** A hint as the body of a queue message. */
export const encodeHint = (hint: Hint): string => JSON.stringify(hint);

/**
 * The hint that a message body holds, or undefined where it holds none. Nothing is believed of it
 * but when it was sent, and nothing more could be: a forged hint costs one look.
 */
export function decodeHint(body: string): Hint | undefined {
  const value = parseObject(body);
  if (value?.kind !== 'look' || typeof value.sentAt !== 'number') return undefined;
  const because = value.because;
  return {
    kind: 'look',
    sentAt: value.sentAt,
    because: typeof because === 'string' ? because : 'unsaid',
  };
}

/** The JSON object in `text`, or undefined where there is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether `value` is a JSON object, neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
