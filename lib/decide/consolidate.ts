import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import { emptiness } from '#lib/disruption/emptiness.ts';
import { overdueLifts } from '#lib/lifecycle/barrier.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import { propose } from './commands/propose.ts';
import { place } from './place.ts';
import { nominatedNodes } from './placement-events.ts';
import { anEmptyPlan, nextLook } from './plan-parts.ts';

const NOT_YET =
  'only empty nodes are removed: replacing nodes that hold pods is not decided by this version';

/**
 * Which nodes are not worth their price. So far: those that are empty, a step further each; every
 * other node is kept, with the reason.
 */
export function decideConsolidate(seen: Snapshot): Plan {
  const { snapshot } = overlaid(seen);
  const nominated = nominatedNodes(place(snapshot));
  const inFlight = inFlightOf(snapshot);
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const found = emptiness({ snapshot, nominated, inFlight }, ledger);
  const { commands, actions, lookAgainInMs } = propose(found.commands, snapshot);
  const holdsPods = found.kept.some(({ why }) => why.by === 'pods');
  return {
    ...anEmptyPlan('consolidate', snapshot),
    commands,
    kept: found.kept.map(({ state, why }) => ({ node: state.name, ...why })),
    actions: [...actions, ...overdueLifts(snapshot)],
    warnings: holdsPods ? [NOT_YET] : [],
    ...nextLook(snapshot, [lookAgainInMs]),
  };
}
