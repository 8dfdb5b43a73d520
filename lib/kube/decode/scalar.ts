import { parseAmount } from '#lib/constraints/quantity.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import {
  type DurationMs,
  type EpochMs,
  parseDuration,
  parseInstant,
  parseNillableDuration,
} from '#lib/model/time.ts';
import { DecodeError, type Decoder, mapOf, unexpected, wire } from './field.ts';

/** A string. */
export function text(value: unknown): string {
  if (typeof value !== 'string') throw unexpected(value, 'a string');
  return value;
}

/** A string that says something. */
export function name(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw unexpected(value, 'a name');
  return value;
}

/** True or false. */
export function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw unexpected(value, 'true or false');
  return value;
}

/** A whole number. */
export function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw unexpected(value, 'a whole number');
  }
  return value;
}

/** A whole number or a string, as a string: 1, "50%", "100m". */
export function numberOrText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw unexpected(value, 'a string or a number');
  return value;
}

/** One of these words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Decoder<Word> {
  return (value) => {
    const found = words.find((word) => word === value);
    if (found === undefined) throw unexpected(value, `one of ${words.join(', ')}`);
    return found;
  };
}

/** A map from string to string: labels, annotations, tags. */
export const textMap: Decoder<Readonly<Record<string, string>>> = mapOf(text);

/** An instant, from RFC 3339. */
export function instant(value: unknown): EpochMs {
  const parsed = typeof value === 'string' ? parseInstant(value) : undefined;
  if (parsed === undefined) {
    throw unexpected(value, 'an instant such as 2026-11-20T12:00:00Z');
  }
  return parsed;
}

/** A length of time in milliseconds, from Go's notation. */
export function duration(value: unknown): number {
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  if (parsed === undefined) throw unexpected(value, 'a duration such as 1h30m');
  return parsed;
}

/** A length of time in milliseconds, from Go's notation, or Never. */
export function durationOrNever(value: unknown): DurationMs {
  const parsed = typeof value === 'string' ? parseNillableDuration(value) : undefined;
  if (parsed === undefined) throw unexpected(value, 'a duration such as 720h, or Never');
  return parsed;
}

/** Amounts of resources, from Kubernetes quantities; none may be negative. */
export function amounts(value: unknown): Resources {
  const decoded: Record<string, number> = {};
  for (const [resource, quantity] of Object.entries(wire(value))) {
    decoded[resource] = amount(resource, quantity);
  }
  return decoded;
}

function amount(resource: string, quantity: unknown): number {
  const parsed =
    typeof quantity === 'string' || typeof quantity === 'number'
      ? parseAmount(resource, quantity)
      : undefined;
  if (parsed === undefined || parsed < 0) {
    const expected = `a quantity${parsed === undefined ? '' : ' of 0 or more,'} such as 500m or 2Gi`;
    throw new DecodeError(`[${resource}]`, unexpected(quantity, expected).problem);
  }
  return parsed;
}
