import { compareText } from '#lib/constraints/order.ts';
import type { Blocked } from '#lib/disruption/candidates.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { renewalDraft, type SimulationFacts } from '#lib/disruption/drift.ts';
import { type Outdated, outdatedNodes } from '#lib/disruption/renewal.ts';
import type { StateNode } from '#lib/model/node.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, Kept } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { place } from '../place.ts';
import { nominatedNodes } from '../placement-events.ts';
import { podsToPlace } from '../pods-to-place.ts';
import { objectionTo } from './judge.ts';
import { openStaticRoom, staticRenewalDraft } from './static-renewal.ts';
import { draftsAhead } from './validate.ts';

/** What is to be replaced whatever it costs, and what stays. */
export interface Renewals {
  readonly drafts: readonly DraftCommand[];
  /** Every node with a NodeClaim that is in no draft, by name. */
  readonly kept: readonly Kept[];
  /** Told to nodes that should go and may not. */
  readonly events: readonly Action[];
}

/** Each asks for one packing of the node's pods; what is left over is the next look's. */
const MOST_AT_ONCE = 25;

/**
 * As many replacements of drifted and expiring nodes as budgets allow, one node each. Each is worked
 * out as if those before it had been carried out, so that no room is promised twice.
 *
 * Source: karpenter v1.14, disruption/{drift,staticdrift}.go: there one command of dynamic pools a
 * pass.
 */
export function renewals(snapshot: Snapshot): Renewals {
  const inFlight = inFlightOf(snapshot);
  const placing = place(snapshot);
  let facts: SimulationFacts = {
    snapshot,
    nominated: nominatedNodes(placing),
    inFlight,
    toPlace: podsToPlace(snapshot, inFlight.leaving),
  };
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const room = openStaticRoom(snapshot);
  const drafts: DraftCommand[] = [];
  const blocked = new Map<string, Blocked>();
  for (const { state, reason } of outdatedNodes(snapshot)) {
    const found = drafts.length < MOST_AT_ONCE ? draftOf({ state, reason }, facts) : LATER;
    const why = 'by' in found ? found : objectionTo(found, ledger);
    if (why !== undefined || 'by' in found) {
      blocked.set(state.name, why ?? LATER);
    } else if (!room.take(found)) {
      blocked.set(state.name, { by: 'limit', because: 'its NodePool may have no more nodes' });
    } else {
      ledger.grant(found.members);
      drafts.push(found);
      facts = draftsAhead(facts, found);
    }
  }
  const going = new Set(drafts.flatMap(({ members }) => members.map(({ state }) => state.name)));
  const staying = snapshot.nodes.filter(({ name, claim }) => claim && !going.has(name));
  return {
    drafts,
    kept: staying
      .map(({ name }) => ({ node: name, ...(blocked.get(name) ?? CURRENT) }))
      .sort((a, b) => compareText(a.node, b.node)),
    events: staying.flatMap((state) => blockedEvents(state, blocked.get(state.name))),
  };
}

const LATER: Blocked = { by: 'later', because: 'others come first; the next look sees to it' };
const CURRENT: Blocked = { by: 'current', because: 'it is what its NodePool would make now' };

const draftOf = ({ state, reason }: Outdated, facts: SimulationFacts): DraftCommand | Blocked =>
  staticRenewalDraft(state, reason, facts) ?? renewalDraft(state, reason, facts);

/** Reasons that pass by themselves, or that a command tells of, are not told. */
const SILENT: ReadonlySet<string> = new Set(['command', 'later', 'budget', 'limit', 'back-off']);

/** Source: karpenter v1.14, disruption/events/events.go, Blocked. */
function blockedEvents({ node, claim }: StateNode, why: Blocked | undefined): readonly Action[] {
  if (!why || SILENT.has(why.by)) return [];
  const about = [...(node ? [nodeRef(node)] : []), ...(claim ? [claimRef(claim)] : [])];
  return about.map((object) => ({
    kind: 'recordEvent',
    about: object,
    type: 'Normal',
    reason: 'DisruptionBlocked',
    message: why.because.slice(0, 1).toUpperCase() + why.because.slice(1),
  }));
}
