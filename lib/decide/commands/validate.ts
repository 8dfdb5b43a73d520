import { compareText } from '#lib/constraints/order.ts';
import type { Blocked } from '#lib/disruption/candidates.ts';
import { inFlightBesides, type LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import { writePlaces } from '#lib/disruption/commands/places.ts';
import { rememberOn } from '#lib/disruption/commands/steps.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import { writeMemory } from '#lib/disruption/memory-of-moves.ts';
import { CONSOLIDATED, INSTANCE_TYPE, REPLACES } from '#lib/model/labels.ts';
import type { NewNodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Creation, creationsOf } from '../creations.ts';
import { nameClaims, namesIn } from '../new-node-claim.ts';
import { withCreated } from '../plan-ahead.ts';
import { podDigest } from '../pods-to-place.ts';
import { judge, objectionTo } from './judge.ts';
import type { StaticRoom } from './static-renewal.ts';

/** What the validations of one look share; each leaves it as the next must see it. */
export interface Validating {
  readonly facts: SimulationFacts;
  readonly ledger: ConsentLedger;
  readonly room: StaticRoom;
}

/** A proposal that was found sound again. */
export interface Validated {
  readonly actions: readonly Action[];
  /** The Snapshot and the promises that the next validation of this look must reckon with. */
  readonly next: SimulationFacts;
}

/**
 * Works a proposal out anew and writes down what is to be done, under the names that its
 * replacements will have; or says why it is given up. What is decided counts for whatever is
 * validated next on the same Snapshot: nodes in limits, room on the others, budgets.
 */
export function validate(
  live: LiveCommand,
  { facts, ledger, room }: Validating,
): Validated | Blocked {
  const others = { ...facts, inFlight: inFlightBesides(facts.inFlight, live.record.id) };
  const draft = judge(live, others);
  if ('by' in draft) return draft;
  const why = objectionTo(draft, ledger);
  if (why) return why;
  if (!room.take(draft)) return { by: 'limit', because: 'the NodePool may have no more nodes' };
  ledger.grant(draft.members);

  const { snapshot } = facts;
  const named = nameClaims(draft.replacements, namesIn(snapshot)).toSorted((a, b) =>
    compareText(a.name, b.name),
  );
  const creations = creationsOf(named, snapshot).map((each) => ({
    ...each,
    claim: asReplacement(each.claim, live, draft, snapshot.takenAt),
  }));
  const record = {
    ...live.record,
    podsMoved: draft.podsMoved,
    savesUsdPerHour: draft.savesUsdPerHour,
    validated: { at: snapshot.takenAt, replacements: named.map(({ name }) => name) },
  };
  return {
    actions: rememberOn(
      draft.members.map(({ claim }) => claim),
      record,
      {
        replacements: creations.map(({ claim }) => claim),
        ...(draft.placements.length > 0 && { places: writePlaces(draft.placements, podDigest) }),
      },
    ),
    next: reckonedWith(facts, draft, creations),
  };
}

function asReplacement(
  claim: NewNodeClaim,
  { record }: LiveCommand,
  draft: DraftCommand,
  at: number,
): NewNodeClaim {
  const memory = draft.reason === 'Underutilized' && {
    [CONSOLIDATED]: writeMemory({ by: record.id, at, from: typesOf(draft), pods: [] }),
  };
  return { ...claim, annotations: { ...claim.annotations, [REPLACES]: record.id, ...memory } };
}

/** The instance types that a command gives up. */
const typesOf = ({ members }: DraftCommand): readonly string[] =>
  members.flatMap(({ node, claim }) => {
    const labels = { ...claim.meta.labels, ...node.meta.labels };
    return labels[INSTANCE_TYPE] ?? [];
  });

/** What the next command must reckon with if a draft is carried out as it stands. */
export function draftsAhead(facts: SimulationFacts, draft: DraftCommand): SimulationFacts {
  const named = nameClaims(draft.replacements, namesIn(facts.snapshot));
  const { inFlight } = facts;
  const members = new Set([...inFlight.members, ...draft.members.map(({ state }) => state.name)]);
  return {
    ...reckonedWith(facts, draft, creationsOf(named, facts.snapshot)),
    inFlight: { ...inFlight, members },
  };
}

function reckonedWith(
  facts: SimulationFacts,
  { placements }: DraftCommand,
  creations: readonly Creation[],
): SimulationFacts {
  const promised = new Map<string, readonly Pod[]>(facts.toPlace.promised);
  for (const { pod, host } of placements) {
    promised.set(host, [...(promised.get(host) ?? []), pod]);
  }
  return {
    ...facts,
    seen: facts.seen ?? facts.snapshot,
    snapshot: withCreated(facts.snapshot, creations),
    toPlace: { ...facts.toPlace, promised },
  };
}
