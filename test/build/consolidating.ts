/** One pass of consolidation: what is decided, and what would be made of it. */
import { propose } from '#lib/decide/commands/propose.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { type Creation, creationsOf } from '#lib/decide/creations.ts';
import { nameClaims, namesIn } from '#lib/decide/new-node-claim.ts';
import { place } from '#lib/decide/place.ts';
import { nominatedNodes } from '#lib/decide/placement-events.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import { type Consolidation, consolidation } from '#lib/disruption/consolidation/consolidation.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { emptiness } from '#lib/disruption/emptiness.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** The commands of one pass, empty nodes first, and why the other nodes stay. */
export function consolidated(snapshot: Snapshot): Consolidation {
  const inFlight = inFlightOf(snapshot);
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const facts = { snapshot, nominated: nominatedNodes(place(snapshot)), inFlight };
  const empty = emptiness(facts, ledger).commands;
  const goingAnyway = empty.flatMap(({ members }) => members.map(({ state }) => state.name));
  const found = consolidation({ ...facts, toPlace: podsToPlace(snapshot), goingAnyway }, ledger);
  return { ...found, commands: [...empty, ...found.commands] };
}

/** The plan of one pass, and the objects that its replacements would be. */
export function consolidationPlan(snapshot: Snapshot): {
  readonly plan: Plan;
  readonly creations: readonly Creation[];
} {
  const plan = decideConsolidate(snapshot);
  const { commands } = consolidated(snapshot);
  const told = propose(commands, snapshot).nodeClaims.map(({ name }) => name);
  if (told.join() !== plan.nodeClaims.map(({ name }) => name).join()) {
    throw new Error(`expected ${told}, found ${plan.nodeClaims.map(({ name }) => name)}`);
  }
  return { plan, creations: creationsOf(namedIn(commands, snapshot), snapshot) };
}

function namedIn(commands: readonly DraftCommand[], snapshot: Snapshot) {
  const taken = new Set(namesIn(snapshot));
  return commands.flatMap(({ replacements }) => {
    const named = nameClaims(replacements, taken);
    for (const { name } of named) taken.add(name);
    return named;
  });
}
