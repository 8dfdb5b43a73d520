import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMime, readMime, writeMime } from '#lib/ec2/user-data/mime.ts';

const part = fc.record({
  headers: fc.record({
    'Content-Type': fc.constantFrom('text/x-shellscript', 'application/node.eks.aws'),
  }),
  body: fc
    .array(fc.constantFrom('#!/bin/bash', 'echo a', '', 'a: b', '-- c', '--//', '--//--'), {
      maxLength: 5,
    })
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
    ['one part', 'Content-Type: text/plain; boundary=b\n\n--b\nA: b\n\nx\n--b--\n'],
    ['no end', 'Content-Type: multipart/mixed; boundary=b\n\n--b\nA: b\n\nx\n'],
    ['a part without headers', 'Content-Type: multipart/mixed; boundary=b\n\n--b\nx\n--b--\n'],
  ])('is none with %s', (_what, text) => {
    expect(readMime(text)).toBeUndefined();
  });

  it('may end lines as Windows does, fold headers, and spell their names in any case', () => {
    const written =
      'mime-version: 1.0\r\ncontent-type: multipart/mixed;\r\n boundary=b\r\n\r\n--b \r\nX-A: 1\r\n\r\nx\r\n--b--\r\nafter';

    expect(readMime(written)).toEqual([{ headers: { 'X-A': '1' }, body: 'x' }]);
  });

  it('takes another boundary where a document has a line that would end it', () => {
    const parts = [
      { headers: { 'Content-Type': 'text/x-shellscript' }, body: 'cat <<E\n--//--\n--//=\nE' },
    ];

    expect(writeMime(parts)).toContain('boundary="//=="');
    expect(readMime(writeMime(parts))).toEqual(parts);
  });
});
