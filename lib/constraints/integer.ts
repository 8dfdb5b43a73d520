/** The largest 64-bit integer. Bounds are such integers in Karpenter. */
export const MAX_INT64 = 2n ** 63n - 1n;
/** The smallest 64-bit integer. */
export const MIN_INT64 = -(2n ** 63n);

const ZERO = 48;
const NINE = 57;
/** Shorter texts cannot leave the exact range of a number, let alone 64 bits. */
const ALWAYS_EXACT_LENGTH = 15;

/**
 * The integer that `text` spells, or undefined where it spells none: an optional sign and decimal
 * digits only ("08" is 8, "+5" is 5; "1.0", "1e3", "" and " 1" are none), within 64 bits.
 *
 * Source: Go, strconv.ParseInt with base 10.
 */
export function parseInteger(text: string): bigint | undefined {
  const number = parseComparable(text);
  return typeof number === 'number' ? BigInt(number) : number;
}

/**
 * parseInteger for comparing alone: a number where that is exact, since a number and a bigint
 * compare exactly and making a bigint takes longer than the comparison.
 */
export function parseComparable(text: string): bigint | number | undefined {
  if (!isInteger(text)) return undefined;
  if (text.length <= ALWAYS_EXACT_LENGTH) return Number(text);
  const magnitude = BigInt(text.replace(/^[+-]/, ''));
  const value = text.startsWith('-') ? -magnitude : magnitude;
  return value > MAX_INT64 || value < MIN_INT64 ? undefined : value;
}

/** Whether `text` is an optional sign and at least one decimal digit; of any size. */
export function isInteger(text: string): boolean {
  const first = text.charCodeAt(0);
  const start = first === 43 || first === 45 ? 1 : 0;
  if (text.length === start) return false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}
