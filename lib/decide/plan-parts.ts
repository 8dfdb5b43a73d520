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
  const written = new Set(earlier.flatMap(writtenUids));
  return later.filter((action) => !writtenUids(action).some((uid) => written.has(uid)));
}

function writtenUids(action: Action): readonly string[] {
  switch (action.kind) {
    case 'launch':
      return action.launch.claims.map(({ uid }) => uid);
    case 'adoptInstance':
      return [action.claim.uid];
    case 'update':
    case 'updateStatus':
    case 'delete':
      return [action.object.uid];
    case 'evict':
    case 'forceDelete':
      return [action.pod.uid];
    case 'ensureInstanceProfile':
      return [action.nodeClass.uid];
    case 'createNodeClaim':
    case 'terminateInstance':
    case 'recordEvent':
      return [];
  }
}
