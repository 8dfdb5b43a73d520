import { type EpochMs, formatInstant } from '#lib/model/time.ts';

/** When a schedule fires, in UTC, to the minute. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Both day fields are restricted: then either of them is enough. */
  readonly anyDayField: boolean;
}

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

interface Field {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: MONTHS },
  { from: 0, to: 6, names: DAYS },
];

/**
 * A standard schedule of five fields, or a macro such as @daily; undefined where it is none.
 * Fields take *, ?, lists, ranges, steps and the English names of months and days.
 *
 * Example: "0 9 * * mon-fri" fires at 09:00 UTC on working days.
 * Source: karpenter v1.14, apis/v1/nodepool.go, Budget.IsActive; robfig/cron v3, ParseStandard.
 */
export function parseSchedule(text: string): Schedule | undefined {
  const parts = (MACROS[text.trim()] ?? text).trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return undefined;
  const sets = FIELDS.map((field, at) => parseField(parts[at] ?? '', field));
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = sets;
  if (!minutes || !hours || !daysOfMonth || !months || !daysOfWeek) return undefined;
  const isOpen = (at: number) => (parts[at] ?? '').split(',').some((term) => OPEN.test(term));
  return {
    minutes,
    hours,
    daysOfMonth,
    months,
    daysOfWeek,
    anyDayField: !isOpen(2) && !isOpen(4),
  };
}

/** A field is not restricted by a star, unless in steps of more than one. */
const OPEN = /^[*?](?:\/0*1)?$/;

/** The most days that a month has; February in a leap year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a schedule fires at all: "0 0 31 2 *" never does. */
export const firesEver = ({ months, daysOfMonth, anyDayField }: Schedule): boolean =>
  anyDayField ||
  [...months].some((month) => [...daysOfMonth].some((day) => day <= (LONGEST[month - 1] ?? 0)));

function parseField(text: string, field: Field): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const term of text.split(',')) {
    const parsed = parseTerm(term.toLowerCase(), field);
    if (!parsed) return undefined;
    for (const value of parsed) values.add(value);
  }
  return values;
}

/** One of: `*`, `a`, `a-b`, each with `/step`; `a/step` runs to the field's end. */
function parseTerm(term: string, field: Field): readonly number[] | undefined {
  const [, range = '', stepText] = /^([^/]+)(?:\/(\d+))?$/.exec(term) ?? [];
  const step = stepText === undefined ? 1 : Number(stepText);
  const bounds = boundsOf(range, stepText !== undefined, field);
  if (!bounds || step < 1) return undefined;
  const { first, last } = bounds;
  const count = Math.floor((last - first) / step) + 1;
  return Array.from({ length: count }, (_, at) => first + at * step);
}

function boundsOf(
  range: string,
  hasStep: boolean,
  field: Field,
): { readonly first: number; readonly last: number } | undefined {
  if (range === '*' || range === '?') return { first: field.from, last: field.to };
  const [from = '', to, ...rest] = range.split('-');
  const first = fieldValue(from, field);
  const last = to === undefined ? (hasStep ? field.to : first) : fieldValue(to, field);
  if (first === undefined || last === undefined || rest.length > 0 || first > last) {
    return undefined;
  }
  return { first, last };
}

function fieldValue(text: string, { from, to, names }: Field): number | undefined {
  const named = names?.indexOf(text) ?? -1;
  if (named >= 0) return named + from;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= from && value <= to ? value : undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Leap days that fall on one weekday are at most 40 years apart. */
const HORIZON_DAYS = 366 * 41;

/**
 * Whether a schedule fired within the last `durationMs`: at or before `now`, and after
 * `now - durationMs`. A window that begins at a firing is open then, and closed when it has
 * lasted its duration. Cost: as lastFiredAt.
 */
export function firedWithin(schedule: Schedule, durationMs: number, now: EpochMs): boolean {
  const oldest = now - durationMs;
  const last = lastFiredAt(schedule, now, oldest);
  return last !== undefined && last > oldest;
}

/**
 * When a schedule last fired, at or before `now`; undefined where that was before the day of
 * `oldest`, or never. Cost: one step a day, and at most 1,440 within a day.
 */
export function lastFiredAt(
  schedule: Schedule,
  now: EpochMs,
  oldest: EpochMs,
): EpochMs | undefined {
  const lastDay = Math.max(Math.floor(oldest / DAY_MS), Math.floor(now / DAY_MS) - HORIZON_DAYS);
  for (let day = Math.floor(now / DAY_MS); day >= lastDay; day--) {
    const last = matchesDay(schedule, day) ? lastFiring(schedule, day, now) : undefined;
    if (last !== undefined) return last;
  }
  return undefined;
}

function lastFiring(schedule: Schedule, day: number, now: EpochMs): EpochMs | undefined {
  const latest = Math.min(DAY_MS - MINUTE_MS, now - day * DAY_MS);
  for (let minute = Math.floor(latest / MINUTE_MS); minute >= 0; minute--) {
    if (schedule.hours.has(Math.floor(minute / 60)) && schedule.minutes.has(minute % 60)) {
      return day * DAY_MS + minute * MINUTE_MS;
    }
  }
  return undefined;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

function matchesDay(schedule: Schedule, day: number): boolean {
  const { month, dayOfMonth } = calendarDay(day);
  if (!schedule.months.has(month)) return false;
  const byMonth = schedule.daysOfMonth.has(dayOfMonth);
  const byWeek = schedule.daysOfWeek.has(weekdayOf(day));
  return schedule.anyDayField ? byMonth || byWeek : byMonth && byWeek;
}

/** The text of an instant holds its calendar day: 2026-11-20T… */
function calendarDay(day: number): { readonly month: number; readonly dayOfMonth: number } {
  const [, month, dayOfMonth] = formatInstant(day * DAY_MS)
    .slice(0, 10)
    .split('-')
    .map(Number);
  return { month: month ?? 0, dayOfMonth: dayOfMonth ?? 0 };
}
