import { describe, expect, it } from 'vitest';
import { closedWindow } from '#lib/disruption/windows.ts';
import { parseInstant } from '#lib/model/time.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

const WINDOWS = 'joinery.dev/disruption-windows';
const SATURDAY_NIGHT = `
- schedule: "0 2 * * sat"
  duration: 4h
  timeZone: Europe/Berlin
`;

type Reason = Parameters<typeof closedWindow>[1];

function why(text: string | undefined, at: string, reason: Reason = 'Underutilized') {
  const pool = aNodePool(text === undefined ? {} : { meta: { annotations: { [WINDOWS]: text } } });
  return closedWindow(pool, reason, { takenAt: parseInstant(at) ?? 0, settings: someSettings() });
}
const isOpen = (...given: Parameters<typeof why>) => why(...given) === undefined;

describe('disruption windows', () => {
  it('let nodes go at every hour where there are none', () => {
    expect(isOpen(undefined, '2026-11-20T12:00:00Z')).toBe(true);
  });

  it('are open from the minute on the wall clock for as long as they last', () => {
    expect(isOpen(SATURDAY_NIGHT, '2026-11-21T00:59:59Z')).toBe(false);
    expect(isOpen(SATURDAY_NIGHT, '2026-11-21T01:00:00Z')).toBe(true);
    expect(isOpen(SATURDAY_NIGHT, '2026-11-21T04:59:59Z')).toBe(true);
    expect(isOpen(SATURDAY_NIGHT, '2026-11-21T05:00:00Z')).toBe(false);
  });

  it('begin an hour earlier in UTC once the clocks were put forward', () => {
    expect(isOpen(SATURDAY_NIGHT, '2026-07-18T00:00:00Z')).toBe(true);
    expect(isOpen(SATURDAY_NIGHT, '2026-07-18T04:00:00Z')).toBe(false);
  });

  it('last their duration through the night in which clocks are put back', () => {
    const night = '- { schedule: "30 2 * * *", duration: 2h, timeZone: Europe/Berlin }';
    // 2026-10-25: 02:30 is shown at 00:30Z and again at 01:30Z.
    expect(isOpen(night, '2026-10-25T00:29:00Z')).toBe(false);
    expect(isOpen(night, '2026-10-25T00:30:00Z')).toBe(true);
    // 02:15 on the wall, for the second time.
    expect(isOpen(night, '2026-10-25T01:15:00Z')).toBe(true);
    expect(isOpen(night, '2026-10-25T02:29:00Z')).toBe(true);
    expect(isOpen(night, '2026-10-25T02:30:00Z')).toBe(false);
  });

  it('begin although the clocks leap over their beginning', () => {
    const night = '- { schedule: "30 2 * * *", duration: 1h, timeZone: Europe/Berlin }';
    // 2026-03-29: the clocks go from 02:00 to 03:00 at 01:00Z.
    expect(isOpen(night, '2026-03-29T01:29:00Z')).toBe(false);
    expect(isOpen(night, '2026-03-29T01:30:00Z')).toBe(true);
    expect(isOpen(night, '2026-03-29T02:30:00Z')).toBe(false);
  });

  it('govern Underutilized and Drifted, and Empty only where they list it', () => {
    const closed = '2026-11-20T12:00:00Z';
    expect(isOpen(SATURDAY_NIGHT, closed, 'Drifted')).toBe(false);
    expect(isOpen(SATURDAY_NIGHT, closed, 'Empty')).toBe(true);
    const listed = `${SATURDAY_NIGHT}  reasons: [Empty]\n`;
    expect(isOpen(listed, closed, 'Empty')).toBe(false);
    expect(isOpen(listed, '2026-11-21T02:00:00Z', 'Empty')).toBe(true);
    expect(why(listed, '2026-11-21T02:00:00Z')).toContain('never for reason Underutilized');
  });

  it('are open where one of several is', () => {
    const two = `${SATURDAY_NIGHT}\n- { schedule: "0 20 * * *", duration: 1h, timeZone: Asia/Tokyo }`;
    expect(isOpen(two, '2026-11-20T11:30:00Z')).toBe(true);
    expect(isOpen(two, '2026-11-21T02:30:00Z')).toBe(true);
  });

  it('name the pool and themselves where they are shut', () => {
    expect(why(SATURDAY_NIGHT, '2026-11-20T12:00:00Z')).toBe(
      'outside the disruption windows of NodePool "default": 0 2 * * sat for 4h (Europe/Berlin)',
    );
  });

  it.each([
    ['nonsense', 'expected a list of windows'],
    ['- {', 'expected a YAML list'],
    ['- schedule: * 2 * * *', 'expected a YAML list'],
    ['- *daily', 'expected a YAML list'],
    ['- { schedule: "0 0 31 2 *", duration: 1h }', 'schedule "0 0 31 2 *": it never fires'],
    ['- 5', 'window 1: expected schedule and duration'],
    ['- { schedule: "0 25 * * *", duration: 1h }', 'schedule: expected five fields'],
    ['- { schedule: "@daily", duration: soon }', 'duration: expected a time such as 4h'],
    ['- { schedule: "@daily", duration: 1h, timeZone: Berlin }', 'timeZone: expected a name'],
    ['- { schedule: "@daily", duration: 1h, reasons: [Bored] }', 'reasons: expected some of'],
    ['- { schedule: "@daily", duration: 1h, hours: 3 }', 'found hours'],
  ])('stay shut where they cannot be read: %s', (text, problem) => {
    expect(why(text, '2026-11-21T02:00:00Z')).toContain(problem);
  });

  it('are the cluster’s where the pool has none of its own', () => {
    const settings = someSettings({ disruptionWindows: SATURDAY_NIGHT });
    const takenAt = parseInstant('2026-11-20T12:00:00Z') ?? 0;
    expect(closedWindow(aNodePool(), 'Drifted', { takenAt, settings })).toContain('Europe/Berlin');
    const own = aNodePool({
      meta: { annotations: { [WINDOWS]: '- { schedule: "@daily", duration: 24h }' } },
    });
    expect(closedWindow(own, 'Drifted', { takenAt, settings })).toBeUndefined();
  });
});
