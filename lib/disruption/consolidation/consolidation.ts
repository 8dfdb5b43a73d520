import type { StateNode } from '#lib/model/node.ts';
import type { Blocked } from '../candidates.ts';
import type { ConsentLedger } from '../consent-ledger.ts';
import type { DraftCommand } from '../draft-command.ts';
import { type ConsolidationFacts, openBench } from './bench.ts';
import { type Source, sourceOf } from './eligible.ts';
import { byWaste } from './prospect.ts';
import { placesIn, prospectOf } from './prospects.ts';
import { openRooms } from './rooms.ts';
import { type Found, search } from './search.ts';

/** What consolidation makes of all nodes. Every node with a NodeClaim is in exactly one list. */
export interface Consolidation {
  /** Disjoint; each holds whether or not the others are carried out. */
  readonly commands: readonly DraftCommand[];
  readonly kept: readonly { readonly state: StateNode; readonly why: Blocked }[];
}

/** Work limits: sets that the solver is asked about, those times nodes, commands in one pass. */
const MOST_CERTIFIED = 400;
const MOST_VISITS = 600_000;
const MOST_COMMANDS = 100;

/**
 * Which nodes go so that the cluster costs less, and what replaces them: up to 8 nodes by none or
 * several, several disjoint commands at once, within all consent that is asked for. What is granted
 * is noted in the ledger.
 *
 * Source of what is allowed: karpenter v1.14, disruption/. How it is found is ours.
 * Cost: nodes × pods that move, and as many simulations as the work limits let.
 */
export function consolidation(facts: ConsolidationFacts, ledger: ConsentLedger): Consolidation {
  const judged = facts.snapshot.nodes
    .filter(({ claim }) => claim !== undefined)
    .map((state) => ({ state, result: sourceOf(state, facts) }));
  const sources = judged.flatMap(({ result }) => ('by' in result ? [] : [result]));
  const found = sources.length === 0 ? NOTHING : searchAmong(sources, facts, ledger);
  const taken = new Set(found.commands.flatMap(({ members }) => members.map(({ state }) => state)));
  const kept = judged
    .filter(({ state }) => !taken.has(state))
    .map(({ state, result }) => ({
      state,
      why: 'by' in result ? result : (found.why.get(state.name) ?? NOT_CHEAPER),
    }));
  return { commands: found.commands, kept };
}

const NOTHING: Found = { commands: [], why: new Map() };
const NOT_CHEAPER: Blocked = { by: 'price', because: "Can't replace with a cheaper node" };

function searchAmong(
  sources: readonly Source[],
  facts: ConsolidationFacts,
  ledger: ConsentLedger,
): Found {
  const { snapshot } = facts;
  const mostNodes = mostOf(sources, ledger);
  const bench = openBench(facts);
  const prospects = sources.map((source) => prospectOf(source, bench, snapshot)).sort(byWaste);
  return search({
    prospects,
    rooms: openRooms(placesIn(snapshot, bench, prospects), bench.maker.apartnessOf),
    prices: bench.prices,
    hurdle: bench.hurdle,
    spotToSpot: bench.spotToSpot,
    axes: bench.ground.axes,
    objection: (candidates) => ledger.objection(candidates, 'Underutilized'),
    certify: bench.certify,
    commit: (command) => {
      ledger.grant(command.members);
      bench.world.commit(command);
    },
    mostNodes,
    mostTogether: Math.max(1, Math.min(MOST_TOGETHER, mostNodes)),
    mostCertified: Math.min(MOST_CERTIFIED, Math.ceil(MOST_VISITS / snapshot.nodes.length)),
    mostCommands: MOST_COMMANDS,
  });
}

/** No command takes more nodes than that. */
const MOST_TOGETHER = 8;

/** How many of the nodes the budgets of their NodePools let go in this pass. */
function mostOf(sources: readonly Source[], { nodesLeft }: ConsentLedger): number {
  const pools = Map.groupBy(sources, ({ candidate }) => candidate.pool.meta.name);
  let most = 0;
  for (const [pool, own] of pools) most += Math.min(own.length, nodesLeft(pool, 'Underutilized'));
  return most;
}
