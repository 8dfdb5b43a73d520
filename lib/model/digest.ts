/**
 * Fingerprints of texts: the same text, the same digest, on every machine. None of them keeps a
 * secret or withstands an adversary; they make names.
 */

const OFFSET_HIGH = 0xcbf29ce4;
const OFFSET_LOW = 0x84222325;
/** The 64-bit FNV prime is 2^40 + 435. */
const PRIME_LOW = 435;
const TWO_32 = 2 ** 32;

interface Word {
  readonly high: number;
  readonly low: number;
}

/** `word` times the FNV prime, modulo 2^64, in two halves of 32 bits. */
function timesPrime({ high, low }: Word): Word {
  const product = low * PRIME_LOW;
  const carry = Math.floor(product / TWO_32);
  return {
    low: product >>> 0,
    high: (Math.imul(high, PRIME_LOW) + carry + (low << 8)) >>> 0,
  };
}

const asBigInt = ({ high, low }: Word): bigint => (BigInt(high) << 32n) | BigInt(low);

/** The 64-bit FNV-1 hash: multiply, then xor. What NodePool hashes are made of. */
export function fnv164(bytes: Uint8Array): bigint {
  let word: Word = { high: OFFSET_HIGH, low: OFFSET_LOW };
  for (const byte of bytes) {
    const { high, low } = timesPrime(word);
    word = { high, low: (low ^ byte) >>> 0 };
  }
  return asBigInt(word);
}

/** The 64-bit FNV-1a hash: xor, then multiply. Written out, since long texts pass through it. */
export function fnv1a64(bytes: Uint8Array): bigint {
  let high = OFFSET_HIGH;
  let low = OFFSET_LOW;
  for (let at = 0; at < bytes.length; at += 1) {
    low = (low ^ (bytes[at] ?? 0)) >>> 0;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / TWO_32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return asBigInt({ high, low });
}

const ENCODER = new TextEncoder();
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const DIGITS_PER_HASH = 10;
const MASK = 2n ** 64n - 1n;

/**
 * `length` lower-case letters and digits that stand for `text`, fit for a DNS label.
 *
 * Example: two different texts share 10 characters about once in 3.6 × 10^15 pairs.
 */
export function shortDigest(text: string, length: number): string {
  const hash = fnv1a64(ENCODER.encode(text));
  // Joined at the end: text that grows digit by digit is slow to compare with other text.
  const digits: string[] = [];
  for (let round = 1n; digits.length < length; round++) {
    let rest = scatter(hash + round * 0x9e3779b97f4a7c15n);
    for (let at = 0; at < DIGITS_PER_HASH && digits.length < length; at++) {
      digits.push(ALPHABET[Number(rest % 36n)] ?? '');
      rest /= 36n;
    }
  }
  return digits.join('');
}

/**
 * Spreads a difference in any bit over all bits, which FNV alone does not do for the last bytes.
 *
 * Source: splitmix64, its finishing step.
 */
function scatter(value: bigint): bigint {
  let mixed = value & MASK;
  mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return mixed ^ (mixed >> 31n);
}

const OFFSET_32 = 0x811c9dc5;
/** The second half of a set's digest begins with another number; any will do. */
const SECOND_SEED = 0x9e3779b9;

/**
 * Fourteen lower-case letters and digits at most that stand for a set of different texts, in whatever
 * order they come. O(characters), without sorting or joining them.
 *
 * Source: FNV-1a of 32 bits, twice; MurmurHash3, its finishing step; sums do not care for order.
 */
export function setDigest(texts: Iterable<string>): string {
  let first = 0;
  let second = 0;
  for (const text of texts) {
    first = (first + spread(fnv1a32(text, OFFSET_32))) >>> 0;
    second = (second + spread(fnv1a32(text, SECOND_SEED))) >>> 0;
  }
  return first.toString(36) + second.toString(36).padStart(7, '0');
}

/** The 32-bit FNV-1a hash of a text's UTF-16 code units, as a signed number. */
export function fnv1a32(text: string, seed = OFFSET_32): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

/** Else sums of hashes that are close to each other would be, too. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
