import type { Blocked } from '#lib/disruption/candidates.ts';
import { writeBackOff } from '#lib/disruption/commands/back-off.ts';
import { change } from '#lib/disruption/commands/steps.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { renewalDraft, type SimulationFacts } from '#lib/disruption/drift.ts';
import { type Outdated, outdatedNodes } from '#lib/disruption/renewal.ts';
import { DISRUPTION_BACK_OFF, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { objectionTo } from './judge.ts';
import { openStaticRoom, type StaticRoom, staticRenewalDraft } from './static-renewal.ts';
import { draftsAhead } from './validate.ts';

/** What is to be replaced whatever it costs, and what stays. */
export interface Renewals {
  readonly drafts: readonly DraftCommand[];
  /** Why others stay that should go, by name of the node; LATER where they were not looked at. */
  readonly blocked: ReadonlyMap<string, Blocked>;
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
    const isFull = drafts.length === mostAtOnce || ledger.nodesLeft(poolOf(state), 'Drifted') < 1;
    const found = isFull ? LATER : draftOf(outdated, facts);
    const why = 'by' in found ? found : (objectionTo(found, ledger) ?? limitOn(found, room));
    if (why !== undefined) blocked.set(state.name, why);
    if (why !== undefined || 'by' in found) continue;
    ledger.grant(found.members);
    drafts.push(found);
    facts = draftsAhead(facts, found);
  }
  const backOffs = snapshot.nodes.flatMap((state) =>
    restOf(state, blocked.get(state.name), snapshot),
  );
  return { drafts, blocked, backOffs };
}

const poolOf = ({ claim }: StateNode): string => claim?.meta.labels[NODEPOOL] ?? '';

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

/** Others come first: budgets are used up, or there is enough to do. */
export const LATER: Blocked = {
  by: 'later',
  because: 'others come first; the next look sees to it',
};

const draftOf = ({ state, reason }: Outdated, facts: SimulationFacts): DraftCommand | Blocked =>
  staticRenewalDraft(state, reason, facts) ?? renewalDraft(state, reason, facts);
