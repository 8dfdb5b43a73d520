import { describe, expect, it } from 'vitest';
import { statusAskedIn, statusQuestion, withStatus } from '#lib/runtime/status-poll.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';

const asked = (askedAt: number) => ({
  snapshot: { instanceStatus: { askedAt, interruptions: [], newlyAiling: {} } },
});

describe('asking EC2 how instances are', () => {
  it('is for the first look in each minute of the clock', () => {
    expect(statusQuestion({}, NOON)).toBe('ask');
    expect(statusQuestion({ statusAskedAt: NOON }, NOON + 59 * SECOND)).toBe('recall');
    expect(statusQuestion({ statusAskedAt: NOON + 59 * SECOND }, NOON + MINUTE)).toBe('ask');
  });

  it('is written on the Lease, and never as longer ago than it was', () => {
    expect(statusAskedIn([asked(NOON)], {})).toEqual({ statusAskedAt: NOON });
    expect(statusAskedIn([asked(NOON)], { statusAskedAt: NOON + SECOND })).toEqual({});
    expect(statusAskedIn([{ snapshot: {} }], {})).toEqual({});
  });

  it('is for stories that ask', () => {
    expect(withStatus({}, 'ask')).toEqual({});
    expect(
      withStatus({ asksInstanceStatus: true, observe: { listInstances: true } }, 'ask'),
    ).toEqual({
      asksInstanceStatus: true,
      observe: { listInstances: true, instanceStatus: 'ask' },
    });
  });
});
