import { compareText } from '#lib/constraints/order.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import { consentWarnings } from '#lib/disruption/consent-warnings.ts';
import { marketUpkeep } from '#lib/ec2/offerings/market-refresh.ts';
import { reservedUpkeep } from '#lib/ec2/offerings/reserved-upkeep.ts';
import { driftedActions } from '#lib/lifecycle/health/drifted.ts';
import { overdueLifts } from '#lib/lifecycle/joining/barrier.ts';
import { resolveNodeClasses } from '#lib/lifecycle/node-class.ts';
import { stampHashes } from '#lib/lifecycle/status/hash-stamping.ts';
import type { Action, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import { budgetEvents } from './budget-events.ts';
import { propose } from './commands/propose.ts';
import { renewals } from './commands/renewals.ts';
import { unrenewed } from './commands/unrenewed.ts';
import { place } from './place.ts';
import { spokenFor } from './placement-events.ts';
import { anEmptyPlan, nextLook, notYetWritten, sumOfUsd } from './plan-parts.ts';
import { podsToPlace } from './pods-to-place.ts';

/**
 * Which nodes are no longer what their templates say, or will soon be too old, and what replaces
 * them. EC2NodeClasses are resolved anew and hashes kept up to date before anything is compared:
 * what is stamped or marked by this plan is acted on by the next.
 */
export function decideDrift(seen: Snapshot): Plan {
  const { snapshot } = overlaid(seen);
  const upkeep = [...stampHashes(snapshot), ...resolveNodeClasses(snapshot)];
  const marks = notYetWritten(driftedActions(snapshot), upkeep);
  const marked = afterMarks(snapshot, marks);
  const inFlight = inFlightOf(marked);
  const facts = {
    snapshot: marked,
    ...spokenFor(place(marked)),
    inFlight,
    toPlace: podsToPlace(marked, inFlight.leaving),
  };
  const ledger = openLedger({ snapshot: marked, inFlight: inFlight.members });
  const found = renewals(facts, ledger);
  const { kept, events } = unrenewed(found, facts, ledger);
  const proposed = propose(found.drafts, snapshot);
  const proposals = notYetWritten([...proposed.actions, ...found.backOffs], [...upkeep, ...marks]);
  return {
    ...anEmptyPlan('drift', snapshot),
    nodeClaims: proposed.nodeClaims,
    placements: proposed.placements,
    commands: proposed.commands,
    kept,
    usdPerHour: sumOfUsd(proposed.nodeClaims.map(({ usdPerHour }) => usdPerHour)),
    actions: [
      ...upkeep,
      ...marks,
      ...proposals,
      ...events,
      ...budgetEvents(snapshot),
      ...overdueLifts(snapshot),
      ...reservedUpkeep(snapshot),
      ...marketUpkeep(snapshot),
    ],
    warnings: [...consentWarnings(snapshot, { forgives: true }), ...proposed.warnings].sort(
      compareText,
    ),
    ...nextLook(snapshot, [proposed.lookAgainInMs]),
  };
}

/** The Snapshot once conditions of NodeClaims are written, so that a plan shows what follows. */
function afterMarks(snapshot: Snapshot, marks: readonly Action[]): Snapshot {
  const written = new Map(
    marks.flatMap((action) =>
      action.kind === 'updateStatus' && action.status.conditions
        ? [[action.object.uid, action.status.conditions] as const]
        : [],
    ),
  );
  if (written.size === 0) return snapshot;
  const nodes = snapshot.nodes.map((state) => {
    const conditions = written.get(state.claim?.meta.uid ?? '');
    if (!state.claim || !conditions) return state;
    return { ...state, claim: { ...state.claim, status: { ...state.claim.status, conditions } } };
  });
  return { ...snapshot, nodes };
}
