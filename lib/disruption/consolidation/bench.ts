import { INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import { isOpen } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Amounts, plus } from '#lib/solver/amounts.ts';
import { type Ground, groundFor } from '#lib/solver/ground.ts';
import { simulate } from '#lib/solver/simulation.ts';
import { candidateOf } from '../candidates.ts';
import type { SimulationFacts } from '../drift.ts';
import { memoryOf } from '../memory-of-moves.ts';
import { balancedJudge } from './balanced.ts';
import { certifySet, type Terms } from './certify-set.ts';
import type { Source } from './eligible.ts';
import { type FairPrices, fairPrices } from './fair-price.ts';
import { type Hurdle, hurdleOf } from './hurdle.ts';
import { type MoverMaker, moversIn } from './movers.ts';
import type { Certify } from './prospect.ts';
import { movedPods, openWorld, type World } from './world.ts';

/** What consolidation is decided on. */
export interface ConsolidationFacts extends SimulationFacts {
  /** Names of nodes that other methods take in this pass; none where absent. */
  readonly goingAnyway?: readonly string[];
}

/** Everything that sets of nodes are judged by in one pass. */
export interface Bench {
  readonly ground: Ground;
  readonly world: World;
  readonly prices: FairPrices;
  readonly hurdle: Hurdle;
  readonly spotToSpot: boolean;
  readonly maker: MoverMaker;
  /** By StateNode: pods that wait, or whose node goes, and are given room there. */
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** Names of nodes that are no place for pods: they go, whatever is decided here. */
  readonly going: ReadonlySet<string>;
  readonly certify: Certify;
}

/** The share of what a pod is worth that its move must save where no setting says otherwise. */
const MOVE_SHARE = 0.5;

/** Sets up what sets of nodes are judged by. Cost: every type and every pod, once. */
export function openBench(facts: ConsolidationFacts): Bench {
  const { snapshot, inFlight, goingAnyway = [] } = facts;
  const { settings } = snapshot;
  const ground = groundFor(snapshot);
  const promised = promisedBeforehand(facts, ground);
  const { maker, prices, mean } = worthIn(snapshot, ground);
  const hurdle = hurdleOf(settings.consolidationMoveShare ?? MOVE_SHARE, mean);
  const going = new Set([...inFlight.members, ...goingAnyway]);
  const world = openWorld({ snapshot, ground, promised, leaving: going });
  const spotToSpot = isOpen(settings, 'SpotToSpotConsolidation');
  const shunned = (set: readonly Source[]) => shunnedBy(set, snapshot);
  const terms: Terms = { world, hurdle, spotToSpot, shunned, maker, axes: ground.axes, prices };
  const judge = snapshot.nodePools.some(isBalanced)
    ? balancedJudge(
        snapshot.nodes.map((state) => candidateOf(state, facts)),
        snapshot,
      )
    : () => NOBODY_ASKED;
  return {
    ground,
    world,
    prices,
    hurdle,
    spotToSpot,
    maker,
    going,
    promised,
    certify: (set, expected, avoided) => {
      const command = certifySet(set, { expected, avoided }, terms);
      if ('by' in command) return command;
      const judged = judge(command);
      if ('by' in judged) return judged;
      return judged.approvals.length > 0 ? { ...command, ...judged } : command;
    },
  };
}

const NOBODY_ASKED = { approvals: [] };

const isBalanced = ({ disruption }: NodePool): boolean =>
  disruption.consolidationPolicy === 'Balanced';

/** What pods are worth in one cluster. */
interface Worth {
  readonly ground: Ground;
  readonly maker: MoverMaker;
  readonly prices: FairPrices;
  /** Of one pod that may be moved. */
  readonly mean: number;
}

// Validations of one look ask for the same several times; losing it costs only time.
const worths = new WeakMap<Snapshot, Worth>();

function worthIn(snapshot: Snapshot, ground: Ground): Worth {
  const known = worths.get(snapshot);
  if (known?.ground === ground) return known;
  const maker = moversIn(snapshot, ground.axes);
  const movers = movedPods(
    snapshot.nodes.map((state) => ({ state })),
    snapshot,
  ).map(maker.moverOf);
  const demand = movers.reduce<Amounts>(
    (sum, { kind }) => plus(sum, kind.amounts),
    ground.axes.map(() => 0),
  );
  const prices = fairPrices(ground.sources, ground.axes, demand);
  const mean = movers.length === 0 ? 0 : prices.worth(demand) / movers.length;
  const worth = { ground, maker, prices, mean };
  worths.set(snapshot, worth);
  return worth;
}

/** Pods that need a place anyway take theirs first, as far as nodes that are there have any. */
function promisedBeforehand(
  { snapshot, inFlight, toPlace }: SimulationFacts,
  ground: Ground,
): ReadonlyMap<string, readonly Pod[]> {
  if (toPlace.pods.length === 0) return toPlace.promised;
  const { placements } = simulate({
    ...toPlace,
    snapshot,
    without: inFlight.members,
    sparesUnsettled: false,
    alsoLeaving: inFlight.leaving,
    ground,
  });
  const promised = new Map(toPlace.promised);
  for (const { pod, host } of placements) promised.set(host, [...(promised.get(host) ?? []), pod]);
  return promised;
}

/** Types that these nodes' pods came from within a day: nobody goes back to them. */
function shunnedBy(set: readonly Source[], { takenAt }: Snapshot): ReadonlySet<string> {
  return new Set(
    set.flatMap(({ candidate: { node, claim } }) =>
      (memoryOf(claim, takenAt)?.from ?? []).filter(
        (type) => type !== node.meta.labels[INSTANCE_TYPE],
      ),
    ),
  );
}
