import type { BudgetSpec } from '#lib/model/node-pool.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Whether a budget speaks at an instant: some minute of its duration before was a hit of its
 * schedule. Every minute is looked at; fields are a star, a number, or a range of weekdays.
 */
export function isOpenAt({ schedule, durationMs }: BudgetSpec, now: number): boolean {
  if (schedule === undefined || durationMs === undefined) return true;
  for (let at = now; at > now - durationMs; at -= 60_000) if (hits(schedule, at)) return true;
  return false;
}

function hits(schedule: string, instant: number): boolean {
  const date = new Date(Math.floor(instant / 60_000) * 60_000);
  const found = [
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth() + 1,
    date.getUTCDay(),
  ];
  return schedule.split(' ').every((field, at) => allows(field, found[at] ?? 0));
}

function allows(field: string, value: number): boolean {
  if (field === '*') return true;
  const [first = '', last = first] = field.toLowerCase().split('-');
  const number = (text: string): number =>
    DAYS.includes(text) ? DAYS.indexOf(text) : Number(text);
  return number(first) <= value && value <= number(last);
}
