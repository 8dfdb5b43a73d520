import { compareText } from '#lib/constraints/order.ts';
import { type Blocked, candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import { writeBackOff } from '#lib/disruption/commands/back-off.ts';
import { change } from '#lib/disruption/commands/steps.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { renewalDraft, type SimulationFacts } from '#lib/disruption/drift.ts';
import { type Outdated, outdatedNodes } from '#lib/disruption/renewal.ts';
import { DISRUPTION_BACK_OFF } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, Kept } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { objectionTo } from './judge.ts';
import { openStaticRoom, type StaticRoom, staticRenewalDraft } from './static-renewal.ts';
import { draftsAhead } from './validate.ts';

/** What is to be replaced whatever it costs, and what stays. */
export interface Renewals {
  readonly drafts: readonly DraftCommand[];
  /** Every node with a NodeClaim that is in no draft, by name. */
  readonly kept: readonly Kept[];
  /** Told to nodes that should go and may not. */
  readonly events: readonly Action[];
  /** Written on nodes whose pods have no other place. */
  readonly backOffs: readonly Action[];
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
export function renewals(
  given: SimulationFacts,
  ledger: ConsentLedger,
  mostAtOnce = MOST_AT_ONCE,
): Renewals {
  const { snapshot } = given;
  const room = openStaticRoom(snapshot);
  const drafts: DraftCommand[] = [];
  const blocked = new Map<string, Blocked>();
  let facts = given;
  for (const outdated of outdatedNodes(snapshot)) {
    const { state } = outdated;
    const isFull = drafts.length === mostAtOnce;
    const found = beforehand(state, facts, ledger) ?? (isFull ? LATER : draftOf(outdated, facts));
    const why = 'by' in found ? found : (objectionTo(found, ledger) ?? limitOn(found, room));
    if (why !== undefined) blocked.set(state.name, why);
    if (why !== undefined || 'by' in found) continue;
    ledger.grant(found.members);
    drafts.push(found);
    facts = draftsAhead(facts, found);
  }
  const going = new Set(drafts.flatMap(({ members }) => members.map(({ state }) => state.name)));
  const staying = snapshot.nodes.filter(({ name, claim }) => claim && !going.has(name));
  return {
    drafts,
    kept: staying
      .map((state) => ({
        node: state.name,
        ...(blocked.get(state.name) ?? whyNotOutdated(state, given)),
      }))
      .sort((a, b) => compareText(a.node, b.node)),
    events: blockedEvents(staying, blocked),
    backOffs: staying.flatMap((state) => restOf(state, blocked.get(state.name), snapshot)),
  };
}

/** Asked before anything is worked out, which takes a hundred times as long. */
function beforehand(
  state: StateNode,
  facts: SimulationFacts,
  ledger: ConsentLedger,
): Blocked | undefined {
  const candidate = candidateOf(state, { ...facts, forgives: true });
  return isBlocked(candidate) ? candidate : ledger.budgetObjection([candidate], 'Drifted');
}

const limitOn = (draft: DraftCommand, room: StaticRoom): Blocked | undefined =>
  room.take(draft)
    ? undefined
    : { by: 'limit', because: 'the limits of its NodePool allow no more nodes' };

/** A node whose pods have no other place is not worked out again at each look. */
const restOf = (
  { claim }: StateNode,
  why: Blocked | undefined,
  { takenAt }: Snapshot,
): readonly Action[] =>
  claim && why?.by === 'pods'
    ? change(claim, {
        [DISRUPTION_BACK_OFF]: writeBackOff(claim, { because: why.because }, takenAt),
      })
    : [];

const LATER: Blocked = { by: 'later', because: 'others come first; the next look sees to it' };
const CURRENT: Blocked = { by: 'current', because: 'it is what its NodePool would make now' };

/** Drift is not asked of nodes that are going, have yet to come, or are none of ours. */
function whyNotOutdated(state: StateNode, facts: SimulationFacts): Blocked {
  const result = candidateOf(state, facts);
  return isBlocked(result) && UNASKED.has(result.by) ? result : CURRENT;
}

const UNASKED: ReadonlySet<string> = new Set(['unmanaged', 'node', 'nodePool']);

const draftOf = ({ state, reason }: Outdated, facts: SimulationFacts): DraftCommand | Blocked =>
  staticRenewalDraft(state, reason, facts) ?? renewalDraft(state, reason, facts);

/** Reasons that pass by themselves, or that a command tells of, are not told. */
const SILENT: ReadonlySet<string> = new Set([
  'command',
  'later',
  'budget',
  'limit',
  'back-off',
  'window',
]);

/** As many nodes are told of at once, by name. */
const MOST_TOLD = 100;

/** Source: karpenter v1.14, disruption/events/events.go, Blocked. */
const blockedEvents = (
  staying: readonly StateNode[],
  blocked: ReadonlyMap<string, Blocked>,
): readonly Action[] =>
  staying
    .flatMap((state) => {
      const why = blocked.get(state.name);
      return why === undefined || SILENT.has(why.by) ? [] : [{ state, why }];
    })
    .slice(0, MOST_TOLD)
    .flatMap(({ state: { node, claim }, why }) => {
      const about = [...(node ? [nodeRef(node)] : []), ...(claim ? [claimRef(claim)] : [])];
      return about.map(
        (object): Action => ({
          kind: 'recordEvent',
          about: object,
          type: 'Normal',
          reason: 'DisruptionBlocked',
          message: why.because.slice(0, 1).toUpperCase() + why.because.slice(1),
        }),
      );
    });
