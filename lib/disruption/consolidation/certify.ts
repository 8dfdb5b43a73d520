import type { StateNode } from '#lib/model/node.ts';
import type { Blocked } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import type { SimulationFacts } from '../drift.ts';
import { openBench } from './bench.ts';
import { type Source, sourceOf } from './eligible.ts';
import { byWaste, dearestFirst } from './prospect.ts';
import { placesIn, prospectOf } from './prospects.ts';
import { openRooms } from './rooms.ts';

/**
 * The command that removes these nodes to save money, worked out on this Snapshot, or why it is none
 * any more: a node that may not go, a pod without a place, a saving that is too small. Budgets are
 * for the caller to ask.
 *
 * `facts.inFlight` must not hold the command that is judged.
 * Source: karpenter v1.14, disruption/validation.go.
 */
export function certifyConsolidation(
  members: readonly StateNode[],
  facts: SimulationFacts,
): DraftCommand | Blocked {
  const judged = members.map((state) => sourceOf(state, facts));
  for (const each of judged) if ('by' in each) return each;
  const sources = judged.flatMap((each): readonly Source[] => ('by' in each ? [] : [each]));
  const bench = openBench(facts);
  const prospects = sources
    .map((source) => prospectOf(source, bench, facts.snapshot))
    .sort(byWaste);
  const rooms = openRooms(placesIn(facts.snapshot, bench, prospects), bench.maker.apartnessOf);
  const movers = prospects.flatMap((each) => each.movers).sort(dearestFirst(bench.prices));
  const { placed } = rooms.fit(movers, new Set(sources.map(({ name }) => name)));
  const expected = new Map(placed.map(({ mover, host }) => [mover.pod.meta.uid, host]));
  return bench.certify(sources, expected, new Set());
}
