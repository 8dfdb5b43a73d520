import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a64, fnv164, setDigest, shortDigest } from '#lib/model/digest.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('fnv164 and fnv1a64', () => {
  // Source: the FNV test suite of its authors.
  it.each([
    ['', 0xcbf29ce484222325n, 0xcbf29ce484222325n],
    ['a', 0xaf63bd4c8601b7ben, 0xaf63dc4c8601ec8cn],
    ['foobar', 0x340d8765a4dda9c2n, 0x85944171f73967e8n],
    ['hello', 0x7b495389bdbdd4c7n, 0xa430d84680aabd0bn],
  ])('hash %j as their authors do', (text, fnv1, fnv1a) => {
    expect(fnv164(bytes(text))).toBe(fnv1);
    expect(fnv1a64(bytes(text))).toBe(fnv1a);
  });

  it('agree with the definition in whole 64-bit numbers', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
        let hash = 0xcbf29ce484222325n;
        for (const byte of input) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
        expect(fnv1a64(input)).toBe(hash);
      }),
    );
  });
});

describe('shortDigest', () => {
  it('is as long as asked and fit for a DNS label', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 60 }), (text, length) => {
        expect(shortDigest(text, length)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`));
      }),
    );
  });

  it('stays what it is, since names are made of it', () => {
    expect(shortDigest('a', 10)).toBe('7wqghe7qzi');
  });

  it('tells apart ten thousand texts that differ in little', () => {
    const digests = Array.from({ length: 10_000 }, (_, at) => shortDigest(`claim-${at}`, 10));

    expect(new Set(digests).size).toBe(10_000);
  });
});

describe('setDigest', () => {
  it('is the same in whatever order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid()), (texts) => {
        expect(setDigest(texts.toReversed())).toBe(setDigest(texts));
      }),
    );
  });

  it('changes with each text that comes, goes or changes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 30 }), (texts) => {
        const [first = '', ...rest] = texts;
        const digests = [texts, rest, [`${first} terminating`, ...rest], [...texts, 'one more']];

        expect(new Set(digests.map(setDigest)).size).toBe(4);
      }),
    );
  });

  it('tells sets of consecutive names apart', () => {
    const names = Array.from({ length: 400 }, (_, at) => `web-${at}`);
    const pairs = names.flatMap((a, at) => names.slice(at + 1).map((b) => setDigest([a, b])));

    expect(new Set(pairs).size).toBe(pairs.length);
  });
});
