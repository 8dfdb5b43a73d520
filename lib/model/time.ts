/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** A length of time in milliseconds, or Never. */
export type DurationMs = number | 'Never';

const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 86_400_000;

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * The instant that an RFC 3339 text names, cut to the millisecond; undefined where it is none,
 * a day that no calendar has and a leap second included.
 *
 * Example: parseInstant('2026-11-20T13:00:00+01:00') is that of 2026-11-20T12:00:00Z.
 */
export function parseInstant(rfc3339: string): EpochMs | undefined {
  const match = RFC3339.exec(rfc3339);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;

  const offset = Number(offsetHours) * MS_PER_HOUR + Number(offsetMinutes) * MS_PER_MINUTE;
  return (
    daysSinceEpoch(year, month, day) * MS_PER_DAY +
    hour * MS_PER_HOUR +
    minute * MS_PER_MINUTE +
    second * MS_PER_SECOND +
    Number(fraction.slice(0, 3).padEnd(3, '0')) -
    (sign === '-' ? -offset : offset)
  );
}

/** The instant in RFC 3339, UTC: "2026-11-20T12:00:00Z"; milliseconds only if there are any. */
export function formatInstant(instant: EpochMs): string {
  const days = Math.floor(instant / MS_PER_DAY);
  const inDay = instant - days * MS_PER_DAY;
  const { year, month, day } = civilDay(days);
  const clock = [
    Math.floor(inDay / MS_PER_HOUR),
    Math.floor(inDay / MS_PER_MINUTE) % 60,
    Math.floor(inDay / MS_PER_SECOND) % 60,
  ].map((part) => padded(part, 2));
  const ms = Math.floor(inDay) % MS_PER_SECOND;
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  return `${date}T${clock.join(':')}${ms === 0 ? '' : `.${padded(ms, 3)}`}Z`;
}

const padded = (value: number, width: number): string => String(value).padStart(width, '0');

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysIn = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

const DAYS_PER_ERA = 146_097;
const DAYS_TO_EPOCH = 719_468;

/**
 * Days from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March, so that the
 * leap day is the last one; eras of 400 years all have the same length.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const fromMarch = month > 2 ? year : year - 1;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
}

/** A day of the calendar, months and days from 1. */
interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The calendar day, UTC, that stands `days` after 1970-01-01. */
function civilDay(days: number): CivilDay {
  const shifted = days + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

const DURATION = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;
const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LONGEST = 2n ** 63n - 1n;
/** More decimal places than a nanosecond of an hour has say nothing. */
const FRACTION_DIGITS = 15;

/**
 * A Go duration in nanoseconds, cut to whole ones, or undefined where it is none or does not fit
 * into 64 bits (292 years).
 *
 * Source: Go, time.ParseDuration.
 */
export function parseDurationNanos(text: string): bigint | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    if (whole.length > 20) return undefined;
    const scale = NANOSECONDS[unit] ?? 0n;
    const digits = fraction.slice(0, FRACTION_DIGITS);
    total += BigInt(whole === '' ? 0 : whole) * scale;
    total += (BigInt(digits === '' ? 0 : digits) * scale) / 10n ** BigInt(digits.length);
    if (total > LONGEST) return undefined;
  }
  return match[1] === '-' ? -total : total;
}

/**
 * A Go duration ("1h30m", "-1.5s", "0") in milliseconds, or undefined where it is none. Below a
 * millisecond it is a fraction.
 */
export function parseDuration(text: string): number | undefined {
  const nanos = parseDurationNanos(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** A Go duration in milliseconds, or 'Never' for that word; undefined for anything else. */
export const parseNillableDuration = (text: string): DurationMs | undefined =>
  text === 'Never' ? 'Never' : parseDuration(text);

/**
 * A duration as a manifest says it, in whole hours, minutes and seconds: "720h", "1h30m", "0s".
 * What is below a second is dropped, since the CRDs know no smaller unit; nothing negative.
 */
export function formatDuration(duration: DurationMs): string {
  if (duration === 'Never') return duration;
  const seconds = Math.max(0, Math.floor(duration / 1_000));
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const told = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount}${unit}`);
  return told.length === 0 ? '0s' : told.join('');
}
