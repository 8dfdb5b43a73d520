import { describe, expect, it } from 'vitest';
import { decodeHint, encodeHint } from '#lib/triggers/hint.ts';
import { readWakeUp } from '#lib/triggers/wake-up.ts';

const hint = { kind: 'look', sentAt: 1_795_176_000_000, because: 'web-1 is pending' } as const;

describe('decodeHint', () => {
  it('reads back what encodeHint wrote', () => {
    expect(decodeHint(encodeHint(hint))).toEqual(hint);
  });

  it.each(['', 'not json', '[]', 'null', '{"kind":"look"}', '{"kind":"drain","sentAt":1}'])(
    'finds no hint in %j',
    (body) => {
      expect(decodeHint(body)).toBeUndefined();
    },
  );
});

describe('readWakeUp', () => {
  it('takes every hint of a batch and counts what is none', () => {
    const records = [{ body: encodeHint(hint) }, { body: 'oops' }, 7];

    expect(readWakeUp({ Records: records })).toEqual({ kind: 'hints', hints: [hint], unread: 2 });
  });

  it.each([undefined, null, 'x', {}, { source: 'aws.events' }])(
    'takes %j for a schedule, since a look is all that it can ask for',
    (event) => {
      expect(readWakeUp(event)).toEqual({ kind: 'schedule' });
    },
  );
});
