import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';

/** How the launch of one node ended. */
export type Outcome = 'ok' | 'failed';

/** How the last launches of a NodePool ended, oldest first, and the last of these. */
export interface Registrations {
  readonly until: EpochMs;
  readonly outcomes: readonly Outcome[];
}

/** Source: karpenter v1.14, state/nodepoolhealth: of the last four, two failures are too many. */
const REMEMBERED = 4;
const TOO_MANY = 2;
const VERSION = 'v1';

/** The outcomes with one more; the oldest beyond four is forgotten. */
export const pushed = (outcomes: readonly Outcome[], outcome: Outcome): readonly Outcome[] =>
  [...outcomes, outcome].slice(-REMEMBERED);

/** Whether fewer failed than are too many. */
export const isHealthy = (outcomes: readonly Outcome[]): boolean =>
  outcomes.filter((each) => each === 'failed').length < TOO_MANY;

/** Example: v1 2026-11-20T12:00:00Z ok,failed */
export const encodeRegistrations = ({ until, outcomes }: Registrations): string =>
  `${VERSION} ${formatInstant(until)} ${outcomes.join()}`;

/** What encodeRegistrations wrote; undefined for anything else, another version included. */
export function decodeRegistrations(text: string | undefined): Registrations | undefined {
  const [version, instant = '', list = ''] = text?.split(' ') ?? [];
  const until = parseInstant(instant);
  if (version !== VERSION || until === undefined) return undefined;
  const outcomes = list.split(',').filter((each) => each === 'ok' || each === 'failed');
  return { until, outcomes: outcomes.slice(-REMEMBERED) };
}
