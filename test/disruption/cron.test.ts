import { describe, expect, it } from 'vitest';
import { firedWithin, parseSchedule } from '#lib/disruption/cron.ts';
import { parseInstant } from '#lib/model/time.ts';
import { HOUR, MINUTE } from '#test/build/objects.ts';

const at = (text: string): number => {
  const instant = parseInstant(`${text}Z`);
  if (instant === undefined) throw new Error(`${text} is no instant`);
  return instant;
};
const isOpen = (schedule: string, durationMs: number, now: string): boolean => {
  const parsed = parseSchedule(schedule);
  if (!parsed) throw new Error(`${schedule} is no schedule`);
  return firedWithin(parsed, durationMs, at(now));
};

describe('a window of a schedule', () => {
  it.each([
    ['opens when it fires', '2026-11-20T09:00:00', true],
    ['is open until its duration has passed', '2026-11-20T16:59:59', true],
    ['is closed when its duration has passed', '2026-11-20T17:00:00', false],
    ['is closed before it fires', '2026-11-20T08:59:59', false],
    ['is closed on a day that is not named', '2026-11-21T12:00:00', false],
  ])('%s', (_what, now, open) => {
    expect(isOpen('0 9 * * mon-fri', 8 * HOUR, now)).toBe(open);
  });

  it('is always open when it lasts longer than the time between two firings', () => {
    expect(isOpen('@daily', 48 * HOUR, '2026-11-20T23:59:59')).toBe(true);
  });

  it('reaches over midnight, months and years', () => {
    expect(isOpen('0 22 31 12 *', 6 * HOUR, '2027-01-01T03:59:00')).toBe(true);
    expect(isOpen('0 22 31 12 *', 6 * HOUR, '2027-01-01T04:00:00')).toBe(false);
  });

  it('fires on leap days only every four years', () => {
    expect(isOpen('0 0 29 2 *', HOUR, '2028-02-29T00:30:00')).toBe(true);
    expect(isOpen('0 0 29 2 *', HOUR, '2027-03-01T00:30:00')).toBe(false);
  });

  it.each([
    ['30 6 * * SUN', '2026-11-22T06:30:00', true],
    ['30 6 * * SUN', '2026-11-22T00:00:00', false],
    ['*/15 * * * *', '2026-11-20T12:45:00', true],
    ['*/15 * * * *', '2026-11-20T12:50:00', false],
    ['5/20 12 * * *', '2026-11-20T12:25:00', true],
    ['0 8,20 * * *', '2026-11-20T20:00:00', true],
    ['0 0 1 jan-mar ?', '2026-02-01T00:00:00', true],
    ['0 0 13 * 5', '2026-11-13T00:00:00', true],
    ['0 0 13 * 5', '2026-11-20T00:00:00', true],
    ['0 0 13 * 5', '2026-11-21T00:00:00', false],
    // A star in steps restricts its field: the 17th, and every Monday.
    ['0 0 */16 * mon', '2026-11-17T00:00:00', true],
    ['0 0 */16 * mon', '2026-11-23T00:00:00', true],
    ['0 0 */16 * mon', '2026-11-24T00:00:00', false],
    // One star in a list opens its field, wherever it stands; so does a star in steps of one.
    ['0 0 5,* * mon', '2026-11-24T00:00:00', false],
    ['0 0 */1 * mon', '2026-11-24T00:00:00', false],
    ['@hourly', '2026-11-20T12:00:00', true],
    ['@weekly', '2026-11-22T00:00:00', true],
    ['@monthly', '2026-11-01T00:00:00', true],
    ['@yearly', '2026-01-01T00:00:00', true],
  ])('%s at %s: %s', (schedule, now, open) => {
    expect(isOpen(schedule, MINUTE, now)).toBe(open);
  });
});

describe('parseSchedule', () => {
  it.each([
    '@wrongly',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 7',
    '5-1 * * * *',
    '*/0 * * * *',
    '1-2-3 * * * *',
    'a * * * *',
    '',
  ])('refuses "%s"', (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  });
});
