import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatInstant,
  parseDuration,
  parseDurationNanos,
  parseInstant,
  parseNillableDuration,
} from '#lib/model/time.ts';

describe('parseInstant', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-20T12:00:00Z', 1_795_176_000_000],
    ['2026-11-20T13:00:00+01:00', 1_795_176_000_000],
    ['2026-11-20T06:30:00-05:30', 1_795_176_000_000],
    ['2026-11-20t12:00:00.123456z', 1_795_176_000_123],
    ['1969-12-31T23:59:59.999Z', -1],
    ['2000-02-29T00:00:00Z', 951_782_400_000],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  ])('reads %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    '',
    '2026-11-20',
    '2026-11-20 12:00:00Z',
    '2026-11-20T12:00:00',
    '2026-13-20T12:00:00Z',
    '2026-11-31T12:00:00Z',
    '2026-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T12:60:00Z',
    '2026-11-20T12:00:60Z',
    '2026-11-20T12:00:00+24:00',
  ])('finds no instant in %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('formatInstant', () => {
  it('leaves milliseconds out where there are none', () => {
    expect(formatInstant(1_795_176_000_000)).toBe('2026-11-20T12:00:00Z');
    expect(formatInstant(1_795_176_000_007)).toBe('2026-11-20T12:00:00.007Z');
  });

  it('is read back as the same instant, and agrees with the calendar of the language', () => {
    const instants = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });

    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseInstant(formatInstant(instant))).toBe(instant);
        expect(formatInstant(instant)).toBe(new Date(instant).toISOString().replace('.000Z', 'Z'));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('parseDuration', () => {
  it.each([
    ['720h', 2_592_000_000],
    ['1h30m', 5_400_000],
    ['1h30m0.5s', 5_400_500],
    ['-1.5s', -1_500],
    ['+2s', 2_000],
    ['.5ms', 0.5],
    ['5.s', 5_000],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['0', 0],
    ['0s', 0],
    ['2562047h', 9_223_369_200_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '1', '1d', 'h', '1h 30m', '.s', 'Never', 'true', '2562048h', `${'9'.repeat(99)}h`])(
    'finds no duration in %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it('counts nanoseconds exactly', () => {
    expect(parseDurationNanos('1h0.000000001s')).toBe(3_600_000_000_001n);
  });
});

describe('parseNillableDuration', () => {
  it('knows Never beside durations', () => {
    expect(['Never', '30s', 'never'].map(parseNillableDuration)).toEqual([
      'Never',
      30_000,
      undefined,
    ]);
  });
});

describe('formatDuration', () => {
  it.each([
    ['Never', 'Never'],
    [0, '0s'],
    [2_592_000_000, '720h'],
    [5_400_000, '1h30m'],
    [3_661_000, '1h1m1s'],
    [90_500, '1m30s'],
  ] as const)('writes %s as %s', (duration, text) => {
    expect(formatDuration(duration)).toBe(text);
  });

  it('is read back as the same whole seconds', () => {
    fc.assert(
      fc.property(fc.nat(1e9), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1_000))).toBe(seconds * 1_000);
      }),
    );
  });
});
