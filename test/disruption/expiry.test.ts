import { describe, expect, it } from 'vitest';
import { isDueToBeReplaced } from '#lib/disruption/expiry.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { HOUR, NOON } from '#test/build/objects.ts';

const pool = (lead?: string) =>
  aNodePool(
    lead === undefined
      ? {}
      : { meta: { annotations: { 'joinery.dev/replace-before-expiry': lead } } },
  );
const made = (uid: string, expireAfter: number | 'Never' = 720 * HOUR) =>
  aNodeClaim({ meta: { uid, createdAt: NOON }, spec: { expireAfter } });

/** After how many hours a node is due. */
const dueAfter = (uid: string, lead: string): number => {
  for (let hour = 0; hour <= 720; hour++) {
    if (isDueToBeReplaced(made(uid), pool(lead), NOON + hour * HOUR)) return hour;
  }
  return Number.POSITIVE_INFINITY;
};

describe('replacement before expiry', () => {
  it('is not asked for unless a NodePool says so', () => {
    expect(isDueToBeReplaced(made('a'), pool(), NOON + 719 * HOUR)).toBe(false);
    expect(isDueToBeReplaced(made('a'), pool('soon'), NOON + 719 * HOUR)).toBe(false);
  });

  it('comes within the time before expiry, with time left to be carried out', () => {
    const hours = Array.from({ length: 50 }, (_, at) => dueAfter(`node-${at}`, '48h'));

    expect(Math.min(...hours)).toBeGreaterThanOrEqual(720 - 48);
    expect(Math.max(...hours)).toBeLessThanOrEqual(720 - 12);
  });

  it('comes to nodes that were made together one after the other', () => {
    const hours = new Set(Array.from({ length: 50 }, (_, at) => dueAfter(`node-${at}`, '48h')));

    expect(hours.size).toBeGreaterThan(20);
  });

  it('is the same for a node each time it is asked', () => {
    expect(dueAfter('node-7', '48h')).toBe(dueAfter('node-7', '48h'));
  });

  it('leaves nodes that never expire alone', () => {
    expect(isDueToBeReplaced(made('a', 'Never'), pool('48h'), NOON + 9_000 * HOUR)).toBe(false);
  });

  it('takes no more than half of a node’s life', () => {
    const short = (hour: number) =>
      isDueToBeReplaced(made('a', 10 * HOUR), pool('48h'), NOON + hour * HOUR);

    expect(short(4)).toBe(false);
    expect(short(9)).toBe(true);
  });
});
