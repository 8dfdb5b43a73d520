import { compareText } from '#lib/constraints/order.ts';
import { creationsOf } from '#lib/decide/creations.ts';
import { nameClaims, namesIn } from '#lib/decide/new-node-claim.ts';
import { place } from '#lib/decide/place.ts';
import { nominatedNodes } from '#lib/decide/placement-events.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { rememberOn } from '#lib/disruption/commands/steps.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { CONSOLIDATED } from '#lib/model/labels.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { karpenterCommand, type Solver } from './karpenter-model.ts';

/** Karpenter validates after 15 seconds and starts: here it is started as found. */
export function startedByKarpenter(snapshot: Snapshot, solver: Solver): readonly Action[] {
  const inFlight = inFlightOf(snapshot);
  const facts = {
    snapshot,
    nominated: nominatedNodes(place(snapshot)),
    inFlight,
    toPlace: podsToPlace(snapshot),
  };
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const draft = karpenterCommand(facts, ledger, solver);
  return draft ? started(draft, snapshot) : [];
}

function started(draft: DraftCommand, snapshot: Snapshot): readonly Action[] {
  const claims = draft.members.map(({ claim }) => claim);
  const members = claims.map(({ meta }) => meta.uid).sort(compareText);
  const id = `karpenter-${snapshot.takenAt}`;
  const named = nameClaims(draft.replacements, namesIn(snapshot));
  const replacements = creationsOf(named, snapshot).map(({ claim }) => ({
    ...claim,
    annotations: { ...claim.annotations, 'joinery.dev/replaces': id },
  }));
  const record = {
    id,
    reason: draft.reason,
    members,
    proposedAt: snapshot.takenAt,
    podsMoved: draft.podsMoved,
    savesUsdPerHour: draft.savesUsdPerHour,
    validated: { at: snapshot.takenAt, replacements: named.map(({ name }) => name) },
  };
  return rememberOn(claims, record, { replacements });
}

/**
 * The cluster without what is remembered of moves: Karpenter remembers nothing. Its commands are
 * carried out by Joinery's steps, which write that down right before they delete.
 */
export const forgetful = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  nodes: snapshot.nodes.map((state) => {
    if (state.claim?.meta.annotations[CONSOLIDATED] === undefined) return state;
    const { [CONSOLIDATED]: _, ...annotations } = state.claim.meta.annotations;
    return { ...state, claim: { ...state.claim, meta: { ...state.claim.meta, annotations } } };
  }),
});
