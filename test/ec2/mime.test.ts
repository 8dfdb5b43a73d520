import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMime, readMime, writeMime } from '#lib/ec2/mime.ts';

const part = fc.record({
  headers: fc.record({
    'Content-Type': fc.constantFrom('text/x-shellscript', 'application/node.eks.aws'),
  }),
  body: fc
    .array(fc.constantFrom('#!/bin/bash', 'echo a', '', 'a: b', '-- c'), { maxLength: 5 })
    .map((lines) => lines.join('\n')),
});

describe('a MIME archive', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(readMime(writeMime(parts))).toEqual(parts);
      }),
    );
  });

  it.each([
    ['an archive', 'MIME-Version: 1.0\n', true],
    ['an archive after blank lines', '\n\nContent-Type: multipart/mixed\n', true],
    ['a script', '#!/bin/bash\n', false],
    ['YAML', 'apiVersion: node.eks.aws/v1alpha1\n', false],
  ])('is told apart: %s', (_what, text, expected) => {
    expect(isMime(text)).toBe(expected);
  });

  it.each([
    ['no header', '\nMIME-Version: 1.0\n'],
    ['no boundary', 'MIME-Version: 1.0\nContent-Type: text/plain\n\nx'],
    ['a line that is no header', 'MIME-Version: 1.0\nwhat?\n\nx'],
    ['nothing after the headers', 'MIME-Version: 1.0'],
  ])('is none with %s', (_what, text) => {
    expect(readMime(text)).toBeUndefined();
  });
});
