import { describe, expect, it } from 'vitest';
import { createInterrupt } from '#functions/interrupt/interrupt.ts';
import { announcementBench, aWarningOf } from '#test/build/announcements.ts';

const LEFT = { getRemainingTimeInMillis: () => 30_000 };
const batchOf = (...bodies: readonly string[]) => ({
  Records: bodies.map((body, at) => ({
    messageId: `m-${at}`,
    body,
    attributes: { ApproximateReceiveCount: '1' },
  })),
});

describe('interrupt', () => {
  it('names the messages that are to come back, and lets the queue forget the others', async () => {
    const { shell } = announcementBench({ joining: ['i-5'], foreign: ['i-8'] });
    const batch = batchOf(aWarningOf('i-8'), aWarningOf('i-5'), '<xml/>');

    expect(await createInterrupt(shell)(batch, LEFT)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-1' }],
    });
  });

  it('looks at no more than NodeClaims where nothing is ours', async () => {
    const { shell } = announcementBench({ held: ['i-1'], foreign: ['i-8'] });

    // The bench refuses every other request.
    expect(await createInterrupt(shell)(batchOf(aWarningOf('i-8')), LEFT)).toEqual({
      batchItemFailures: [],
    });
  });

  it('takes an event that is no batch for an empty one', async () => {
    const { shell } = announcementBench({});

    expect(await createInterrupt(shell)({ source: 'aws.scheduler' }, LEFT)).toEqual({
      batchItemFailures: [],
    });
  });
});
