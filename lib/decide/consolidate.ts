import { compareText } from '#lib/constraints/order.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import { consentWarnings } from '#lib/disruption/consent-warnings.ts';
import { consolidation } from '#lib/disruption/consolidation/consolidation.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { emptiness } from '#lib/disruption/emptiness.ts';
import { overdueLifts } from '#lib/lifecycle/joining/barrier.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import { propose } from './commands/propose.ts';
import { keptEvents } from './kept-events.ts';
import { place } from './place.ts';
import { spokenFor } from './placement-events.ts';
import { anEmptyPlan, nextLook, sumOfUsd } from './plan-parts.ts';
import { podsToPlace } from './pods-to-place.ts';

/**
 * Which nodes are not worth their price: those that are empty, and sets of others whose pods fit
 * elsewhere or on cheaper nodes. Commands are proposed, nothing more; every other node is kept, with
 * the reason.
 */
export function decideConsolidate(seen: Snapshot): Plan {
  const { snapshot } = overlaid(seen);
  const inFlight = inFlightOf(snapshot);
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const facts = { snapshot, ...spokenFor(place(snapshot)), inFlight };
  const empty = emptiness(facts, ledger);
  const goingAnyway = empty.commands.flatMap(({ members }) => members.map(nameOfMember));
  const toPlace = podsToPlace(snapshot);
  const found = consolidation({ ...facts, toPlace, goingAnyway }, ledger);
  const drafts = [...empty.commands, ...found.commands];
  const { commands, nodeClaims, placements, ...proposed } = propose(drafts, snapshot);
  const kept = found.kept.toSorted((a, b) => compareText(a.state.name, b.state.name));
  const isEmpty = new Map(empty.kept.map(({ state, why }) => [state.name, why]));
  const going = new Set(goingAnyway);
  return {
    ...anEmptyPlan('consolidate', snapshot),
    commands,
    nodeClaims,
    usdPerHour: sumOfUsd(nodeClaims.map(({ usdPerHour }) => usdPerHour)),
    placements,
    kept: kept
      .filter(({ state }) => !going.has(state.name))
      .map(({ state, why }) => ({
        node: state.name,
        ...(why.by === 'empty' ? (isEmpty.get(state.name) ?? why) : why),
      })),
    actions: [
      ...proposed.actions,
      ...overdueLifts(snapshot),
      ...keptEvents(kept, snapshot.takenAt),
    ],
    warnings: [...consentWarnings(snapshot), ...proposed.warnings].sort(compareText),
    ...nextLook(snapshot, [proposed.lookAgainInMs]),
  };
}

const nameOfMember = ({ state }: DraftCommand['members'][number]): string => state.name;
