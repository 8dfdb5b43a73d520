import { parseDocument } from 'yaml';
import { DISRUPTION_WINDOWS } from '#lib/model/labels.ts';
import type { BudgetReason, NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type EpochMs, parseDuration } from '#lib/model/time.ts';
import { firesEver, lastFiredAt, parseSchedule, type Schedule } from './cron.ts';
import { type TimeZone, timeZoneOf } from './time-zone.ts';

/** When nodes may be disrupted, in the local time of some place. */
interface Window {
  /** As it was written, for sentences. */
  readonly told: string;
  readonly schedule: Schedule;
  readonly durationMs: number;
  readonly zone: TimeZone;
  readonly reasons: readonly BudgetReason[];
}

/** What a list of windows comes to; one that cannot be read opens none. */
type Windows =
  | { readonly windows: readonly Window[]; readonly problem?: never }
  | { readonly problem: string };

/**
 * Why nodes of `pool` may not be disrupted now for `reason`, for a person; undefined where they may
 * as far as windows go.
 *
 * Windows stand in an annotation of the NodePool, else in a setting for all of them; without any,
 * every hour will do. Once there is one, nothing is disrupted outside: for Underutilized and
 * Drifted always, for Empty where some window lists it. They are a YAML list, each a schedule as of
 * budgets, a duration, and the time zone that both are meant in:
 *
 *     joinery.dev/disruption-windows: |
 *       - schedule: "0 2 * * sat"
 *         duration: 4h
 *         timeZone: Europe/Berlin          # UTC where absent
 *         reasons: [Underutilized]         # Underutilized and Drifted where absent
 *
 * Clocks that are put forward or back do not matter: a window begins when the clock on the wall
 * says so and lasts its duration. A list that cannot be read, or holds a schedule that never
 * fires, keeps every window shut.
 */
export function closedWindow(
  pool: NodePool,
  reason: BudgetReason,
  { takenAt, settings }: Pick<Snapshot, 'takenAt' | 'settings'>,
): string | undefined {
  const { text, whose } = textFor(pool, settings);
  if (text === undefined) return undefined;
  const found = readWindows(text);
  if (found.problem !== undefined) return `the disruption ${unreadable(whose, found.problem)}`;
  const applying = found.windows.filter(({ reasons }) => reasons.includes(reason));
  if (applying.length === 0 && reason === 'Empty') return undefined;
  if (applying.some((window) => isOpen(window, takenAt))) return undefined;
  const when = applying.map(({ told }) => told).join('; ') || `never for reason ${reason}`;
  return `outside the disruption windows of ${whose}: ${when}`;
}

/** What is wrong with the windows that a NodePool is under, as a sentence; undefined where nothing. */
export function windowsProblem(pool: NodePool, settings: WindowSettings): string | undefined {
  const { text, whose } = textFor(pool, settings);
  const problem = text === undefined ? undefined : readWindows(text).problem;
  return problem === undefined ? undefined : `Disruption ${unreadable(whose, problem)}`;
}

type WindowSettings = Pick<Snapshot['settings'], 'disruptionWindows'>;

function textFor({ meta }: NodePool, { disruptionWindows }: WindowSettings) {
  const own = meta.annotations[DISRUPTION_WINDOWS];
  return own === undefined
    ? { text: disruptionWindows, whose: 'the cluster' }
    : { text: own, whose: `NodePool "${meta.name}"` };
}

const unreadable = (whose: string, problem: string): string =>
  `windows of ${whose} cannot be read, so that none is open: ${problem}`;

function isOpen({ schedule, durationMs, zone }: Window, now: EpochMs): boolean {
  // A clock that was put back shows less now than at a firing an hour ago.
  const wall = zone.wallAt(now) + OVERLAP_MS;
  const oldest = wall - durationMs - 2 * OVERLAP_MS;
  let fired = lastFiredAt(schedule, wall, oldest);
  while (fired !== undefined && zone.instantOf(fired) > now) {
    fired = lastFiredAt(schedule, fired - 1, oldest);
  }
  return fired !== undefined && now < zone.instantOf(fired) + durationMs;
}

/** Clocks have never been put back further. */
const OVERLAP_MS = 3 * 3_600_000;

// Asked for each of many nodes of one NodePool; it follows from the text alone.
const known = new Map<string, Windows>();
const MOST_KNOWN = 1_000;

function readWindows(text: string): Windows {
  const before = known.get(text);
  if (before) return before;
  const found = parseWindows(text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, found);
  return found;
}

function parseWindows(text: string): Windows {
  const list = yamlIn(text);
  if (list instanceof Error) return { problem: `expected a YAML list, found: ${list.message}` };
  if (!Array.isArray(list)) return { problem: 'expected a list of windows' };
  const windows: Window[] = [];
  for (const [at, each] of list.entries()) {
    const window = windowOf(each);
    if (typeof window === 'string') return { problem: `window ${at + 1}: ${window}` };
    windows.push(window);
  }
  return { windows };
}

/** An alias of nothing, such as an asterisk without quotes, is only found out at the end. */
function yamlIn(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error) return error;
  try {
    return document.toJS();
  } catch (cause) {
    return new Error(cause instanceof Error ? cause.message : String(cause));
  }
}

const FIELDS = ['schedule', 'duration', 'timeZone', 'reasons'];

function windowOf(written: unknown): Window | string {
  if (typeof written !== 'object' || written === null) return 'expected schedule and duration';
  const fields: Readonly<Record<string, unknown>> = { ...written };
  const strange = Object.keys(fields).find((each) => !FIELDS.includes(each));
  if (strange !== undefined) return `expected ${FIELDS.join(', ')}, found ${strange}`;
  const { schedule: cron, duration, timeZone = 'UTC', reasons } = fields;
  const schedule = typeof cron === 'string' ? parseSchedule(cron) : undefined;
  if (!schedule) return `schedule: expected five fields such as "0 2 * * sat", found ${cron}`;
  if (!firesEver(schedule)) return `schedule "${cron}": it never fires`;
  const durationMs = typeof duration === 'string' ? parseDuration(duration) : undefined;
  if (durationMs === undefined || durationMs <= 0) {
    return `duration: expected a time such as 4h, found ${duration}`;
  }
  const zone = typeof timeZone === 'string' ? timeZoneOf(timeZone) : undefined;
  if (!zone) return `timeZone: expected a name such as Europe/Berlin, found ${timeZone}`;
  const governed = reasonsOf(reasons);
  if (!governed) return `reasons: expected some of ${REASONS.join(', ')}, found ${reasons}`;
  return {
    told: `${cron} for ${duration} (${timeZone})`,
    schedule,
    durationMs,
    zone,
    reasons: governed,
  };
}

const REASONS: readonly BudgetReason[] = ['Underutilized', 'Drifted', 'Empty'];

function reasonsOf(written: unknown): readonly BudgetReason[] | undefined {
  if (written === undefined) return ['Underutilized', 'Drifted'];
  if (!Array.isArray(written) || written.length === 0) return undefined;
  const found = written.flatMap((each) => REASONS.find((reason) => reason === each) ?? []);
  return found.length === written.length ? found : undefined;
}
