import { describe, expect, it } from 'vitest';
import { readMessages, readWakeUp } from '#lib/triggers/wake-up.ts';

const record = (difference: Readonly<Record<string, unknown>> = {}) => ({
  messageId: 'm-1',
  body: 'hello',
  attributes: { ApproximateReceiveCount: '2' },
  ...difference,
});

describe('readMessages', () => {
  it('reads the messages of a batch, and how often each was handed over', () => {
    expect(readMessages({ Records: [record(), record({ messageId: 'm-2' })] })).toEqual([
      { id: 'm-1', body: 'hello', receives: 2 },
      { id: 'm-2', body: 'hello', receives: 2 },
    ]);
  });

  it('takes a message that does not say how often it came for new', () => {
    expect(readMessages({ Records: [record({ attributes: undefined })] })).toMatchObject([
      { receives: 1 },
    ]);
  });

  it.each([
    ['a schedule', { source: 'aws.scheduler' }],
    ['nothing', undefined],
    ['records that are none', { Records: 'many' }],
    ['a record without a body', { Records: [{ messageId: 'm-1' }, null, 7] }],
  ])('finds none in %s', (_what, event) => {
    expect(readMessages(event)).toEqual([]);
  });
});

describe('readWakeUp', () => {
  it('counts messages that hold no hint', () => {
    expect(readWakeUp({ Records: [record(), null] })).toEqual({
      kind: 'hints',
      hints: [],
      unread: 2,
    });
  });
});
