import type { Action, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { formatInstant } from '#lib/model/time.ts';

/** A look that is due no earlier than this is the heartbeat's. */
const HEARTBEAT_MS = 60_000;

/** A Plan that wants nothing: what the four decisions start from. */
export const anEmptyPlan = (decision: Plan['decision'], snapshot: Snapshot): Plan => ({
  decision,
  takenAt: formatInstant(snapshot.takenAt),
  nodeClaims: [],
  placements: [],
  commands: [],
  kept: [],
  refused: [],
  usdPerHour: 0,
  lowerBoundUsdPerHour: 0,
  actions: [],
  warnings: [],
});

/** Sums of prices carry the noise of binary fractions; no price is told to more than 12 places. */
export const sumOfUsd = (prices: readonly number[]): number =>
  Math.round(prices.reduce((sum, price) => sum + price, 0) * 1e12) / 1e12;

/** When to look again: the earliest of what the parts ask for, if it is before the heartbeat. */
export function nextLook(
  snapshot: Snapshot,
  inMs: readonly (number | undefined)[],
): Pick<Plan, 'lookAgainAt'> {
  const earliest = Math.min(...inMs.flatMap((ms) => ms ?? []));
  if (earliest >= HEARTBEAT_MS) return {};
  return { lookAgainAt: formatInstant(snapshot.takenAt + earliest) };
}

/**
 * The actions of `later` that do not write what `earlier` writes already: such a write would be
 * made from a state that is no longer true. The next look finds them again.
 */
export function notYetWritten(
  later: readonly Action[],
  earlier: readonly Action[],
): readonly Action[] {
  const written = new Set(earlier.flatMap(writtenUid));
  return later.filter((action) => !writtenUid(action).some((uid) => written.has(uid)));
}

const writtenUid = (action: Action): readonly string[] =>
  'object' in action ? [action.object.uid] : [];
