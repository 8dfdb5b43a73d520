import { type Blocked, candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import { writeBackOff } from '#lib/disruption/commands/back-off.ts';
import { change } from '#lib/disruption/commands/steps.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { notNow, renewalDraft, type SimulationFacts } from '#lib/disruption/drift.ts';
import { type Outdated, outdatedNodes } from '#lib/disruption/renewal.ts';
import { DISRUPTION_BACK_OFF, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { objectionTo } from './judge.ts';
import { openStaticRoom, type StaticRoom, staticRenewalDraft } from './static-renewal.ts';
import { draftsAhead, type Validating } from './validate.ts';

/** What is to be replaced whatever it costs, and what stays. */
export interface Renewals {
  readonly drafts: readonly DraftCommand[];
  /** Why others stay that should go, by name of the node; LATER where they were not looked at. */
  readonly blocked: ReadonlyMap<string, Blocked>;
  /** Written on nodes whose pods have no other place. */
  readonly backOffs: readonly Action[];
}

/**
 * Each asks for one packing of the node's pods; what is left over is the next look's. As many may come
 * to nothing: they rest a while, so that others have their turn.
 */
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
  let fruitless = 0;
  const isFull = ({ state }: Outdated): boolean =>
    Math.max(drafts.length, fruitless) >= mostAtOnce ||
    ledger.nodesLeft(poolOf(state), 'Drifted') < 1;
  for (const outdated of outdatedNodes(snapshot)) {
    const found = isFull(outdated) ? LATER : draftOf(outdated, { facts, ledger, room });
    if ('by' in found) {
      blocked.set(outdated.state.name, found);
      if (found.by === 'pods') fruitless++;
      continue;
    }
    ledger.grant(found.members);
    drafts.push(found);
    facts = draftsAhead(facts, found);
  }
  const backOffs = snapshot.nodes.flatMap((state) =>
    restOf(state, blocked.get(state.name), snapshot),
  );
  return { drafts, blocked, backOffs };
}

/** What is asked before anything is worked out, which takes a hundred times as long. */
function objectionBefore(
  { state, reason }: Outdated,
  facts: SimulationFacts,
  ledger: ConsentLedger,
): Blocked | undefined {
  const candidate = candidateOf(state, { ...facts, forgives: true });
  if (isBlocked(candidate)) return candidate;
  return (
    notNow(candidate, reason, facts.snapshot) ??
    objectionTo({ members: [candidate], reason }, ledger)
  );
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

function draftOf(outdated: Outdated, { facts, ledger, room }: Validating): DraftCommand | Blocked {
  const { state, reason } = outdated;
  const objection = objectionBefore(outdated, facts, ledger);
  if (objection) return objection;
  const draft = staticRenewalDraft(state, reason, facts) ?? renewalDraft(state, reason, facts);
  return 'by' in draft ? draft : (limitOn(draft, room) ?? draft);
}
