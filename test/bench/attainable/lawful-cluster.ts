/**
 * A recorded cluster as far as consent lets anybody change it: which nodes may ever go, where their
 * pods may stand, and what can be bought for them.
 */
import { isTerminal } from '#lib/consent/pod-state.ts';
import { agrees } from '#lib/constraints/requirements.ts';
import { firstUntolerated } from '#lib/constraints/taints.ts';
import { place } from '#lib/decide/place.ts';
import { nominatedNodes } from '#lib/decide/placement-events.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { type Candidate, candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import { type Bench, openBench } from '#lib/disruption/consolidation/bench.ts';
import type { MoverKind } from '#lib/disruption/consolidation/movers.ts';
import { movedPods } from '#lib/disruption/consolidation/world.ts';
import { CAPACITY_TYPE } from '#lib/model/labels.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Amounts } from '#lib/solver/amounts.ts';
import { accepts, type Host, hostsOf } from '#lib/solver/hosts/hosts.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { isUninitialized } from '#lib/solver/simulation.ts';
import type { Source, SourceType } from '#lib/solver/sources.ts';
import { NOTHING_LIMITED } from '#lib/solver/volumes/volume-usage.ts';

/** A node that may go, and the pods that then have to move. */
interface LawfulNode {
  readonly name: string;
  readonly usdPerHour: number;
  readonly movers: readonly MoverKind[];
}

/** A node that pods may move to, whether it may go itself or not. */
interface LawfulPlace {
  readonly name: string;
  readonly free: Amounts;
  readonly takes: (kind: MoverKind) => boolean;
}

/** A node that can be bought. */
export interface LawfulWare {
  readonly room: Amounts;
  readonly usdPerHour: number;
  readonly takes: (kind: MoverKind) => boolean;
}

/** See the head of this file. */
export interface LawfulCluster {
  /** What all nodes cost now. */
  readonly usdPerHour: number;
  readonly nodes: readonly LawfulNode[];
  readonly places: readonly LawfulPlace[];
  /** Cheapest first. */
  readonly wares: readonly LawfulWare[];
}

/**
 * Looks at a cluster at its own instant: whom a PodDisruptionBudget without allowance, a
 * do-not-disrupt, a NodePool or a budget of no nodes keeps now, stays.
 */
export function lawfulClusterOf(snapshot: Snapshot): LawfulCluster {
  const inFlight = inFlightOf(snapshot);
  const facts = { snapshot, inFlight, nominated: nominatedNodes(place(snapshot)) };
  const bench = openBench({ ...facts, toPlace: podsToPlace(snapshot) });
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const candidates = snapshot.nodes
    .map((state) => candidateOf(state, facts))
    .filter((each): each is Candidate => !isBlocked(each));
  const mayGo = ({ state, pool }: Candidate): boolean => {
    const reason = movedPods([{ state }], snapshot).length > 0 ? 'Underutilized' : 'Empty';
    const isOpen = pool.disruption.consolidateAfter !== 'Never' && pool.replicas === undefined;
    return isOpen && ledger.nodesLeft(pool.meta.name, reason) > 0;
  };
  const going = candidates.filter(mayGo);
  const priceOf = (state: Candidate['state']): number => priceOfNode(state, snapshot.catalog) ?? 0;
  return {
    usdPerHour: snapshot.nodes.reduce((sum, state) => sum + priceOf(state), 0),
    nodes: going.map(({ state }) => ({
      name: state.name,
      usdPerHour: priceOf(state),
      movers: movedPods([{ state }], snapshot).map((pod) => bench.maker.moverOf(pod).kind),
    })),
    places: placesIn(snapshot, bench),
    wares: waresFor(going, bench),
  };
}

function placesIn(snapshot: Snapshot, { ground, promised, maker }: Bench): readonly LawfulPlace[] {
  const daemonsCounted = { ...snapshot, daemonSets: ground.daemonSets };
  const marksOn = ({ stateNode }: Host): ReadonlySet<string> =>
    new Set(
      stateNode.pods
        .filter((pod) => !isTerminal(pod))
        .flatMap((pod) => maker.apartnessOf(pod).brings),
    );
  return hostsOf(daemonsCounted, promised, ground.axes, NOTHING_LIMITED)
    .filter(({ stateNode }) => !isUninitialized(stateNode))
    .map((host) => {
      const marks = marksOn(host);
      return {
        name: host.name,
        free: host.free,
        takes: ({ asks, shuns }) =>
          asks.some((ask) => accepts(host, ask)) && !shuns.some((mark) => marks.has(mark)),
      };
    });
}

/** Where spot may not follow spot and there is nothing else to replace, nothing may be bought. */
function waresFor(
  going: readonly Candidate[],
  { ground, spotToSpot }: Bench,
): readonly LawfulWare[] {
  const areSpot = going.every(({ node }) => node.meta.labels[CAPACITY_TYPE] === 'spot');
  const isOnSale = (kind: string): boolean => spotToSpot || !areSpot || kind !== 'spot';
  return ground.sources
    .flatMap((source) => source.types.flatMap((type) => wareOf(source, type, isOnSale)))
    .sort((a, b) => a.usdPerHour - b.usdPerHour);
}

function wareOf(
  source: Source,
  { requirements, roomAmounts, offerings }: SourceType,
  isOnSale: (capacityType: string) => boolean,
): readonly LawfulWare[] {
  const sold = offerings.filter(({ capacityType }) => isOnSale(capacityType));
  if (sold.length === 0) return [];
  return [
    {
      room: roomAmounts,
      usdPerHour: Math.min(...sold.map(({ usdPerHour }) => usdPerHour)),
      takes: ({ asks }) =>
        asks.some(
          (ask) =>
            !firstUntolerated(source.taints, ask.tolerations) &&
            agrees(requirements, ask.requirements) &&
            agrees(source.requirements, ask.requirements) &&
            sold.some((offering) => agrees(offering.requirements, ask.requirements)),
        ),
    },
  ];
}
