import { compareText } from '#lib/constraints/order.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import type { Placement, PlannedNodeClaim, Refusal } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type SolveRefusal, type SolveResult, solve } from '#lib/solver/solve.ts';
import type { WishGivenUp } from '#lib/solver/wishes/wishes.ts';
import { type BufferOutcome, placeBuffers } from './buffer-placing.ts';
import { type Creation, creationsOf } from './creations.ts';
import { nameClaims, namesIn, plannedNodeClaim, podName } from './new-node-claim.ts';
import { sumOfUsd } from './plan-parts.ts';
import { podsToPlace } from './pods-to-place.ts';

/** Where the pods of a Snapshot go that have no place, as parts of a Plan. Everything is sorted. */
export interface Placing {
  readonly claims: readonly PlannedNodeClaim[];
  /** createNodeClaim for each of `claims`. */
  readonly creations: readonly Creation[];
  readonly placements: readonly Placement[];
  readonly refused: readonly Refusal[];
  readonly warnings: readonly string[];
  /** Where room is kept for CapacityBuffers; empty where there is none. */
  readonly buffers: readonly BufferOutcome[];
  /** Nodes on which that room is. */
  readonly held: readonly string[];
  /** The sum over `claims`. */
  readonly usdPerHour: number;
  /** Proven: whoever places the same pods adds no less. */
  readonly lowerBoundUsdPerHour: number;
}

/**
 * Places every pod that needs a node: on one that exists or is on its way, else on a new one, else
 * nowhere, with the reason. Each pod is told of exactly once.
 */
export function place(snapshot: Snapshot): Placing {
  const { leaving } = inFlightOf(snapshot);
  const { pods, ineligible, promised, expected } = podsToPlace(snapshot, leaving);
  const solved = solve({ snapshot: withoutNodes(snapshot, leaving), pods, promised, expected });
  const named = nameClaims(solved.claims, namesIn(snapshot)).toSorted((a, b) =>
    compareText(a.name, b.name),
  );
  const podsOf = new Map(named.map(({ name, sealed }) => [name, sealed.pods]));
  const creations = creationsOf(named, snapshot);
  const room = placeBuffers(snapshot, { solved, creations, podsOf });
  const claims = [...named.map(plannedNodeClaim), ...room.claims].sort((a, b) =>
    compareText(a.name, b.name),
  );
  const refused = [
    ...ineligible.map(({ pod, rejection: { by, because } }) => ({
      pod: podName(pod),
      by,
      because: inShort(because),
      nodePools: [],
    })),
    ...solved.refusals.flatMap(tellRefusal),
  ];
  return {
    claims,
    creations: [...creations, ...room.creations],
    placements: placementsOf(solved, snapshot),
    refused: refused.sort((a, b) => compareText(a.pod, b.pod)),
    warnings: [...solved.wishesGivenUp.map(tellWish), ...room.warnings],
    buffers: room.buffers,
    held: room.held,
    usdPerHour: sumOfUsd(claims.map(({ usdPerHour }) => usdPerHour)),
    lowerBoundUsdPerHour: boundOf(solved, room.lowerBoundUsdPerHour),
  };
}

/** The Snapshot as if nodes were gone that will go once what replaces them is up. */
const withoutNodes = (snapshot: Snapshot, leaving: ReadonlySet<string>): Snapshot =>
  leaving.size === 0
    ? snapshot
    : { ...snapshot, nodes: snapshot.nodes.filter(({ name }) => !leaving.has(name)) };

/**
 * Who places pods and buffers together pays no less than for the pods alone. What the buffers' rest
 * costs was found with the pods where they are now; it bounds every plan only if there are none.
 */
function boundOf(
  { claims, placements, lowerBoundUsdPerHour }: SolveResult,
  ofRoom: number,
): number {
  const isAlone = claims.length === 0 && placements.length === 0;
  return isAlone ? Math.max(lowerBoundUsdPerHour, ofRoom) : lowerBoundUsdPerHour;
}

function placementsOf({ placements }: SolveResult, { nodes }: Snapshot): readonly Placement[] {
  const hosts = new Map(nodes.map((stateNode) => [stateNode.name, stateNode]));
  return placements
    .map(({ pod, host }): Placement => {
      const isNode = hosts.get(host)?.node !== undefined;
      return { pod: podName(pod), ...(isNode ? { node: host } : { nodeClaim: host }) };
    })
    .sort((a, b) => compareText(a.pod, b.pod));
}

function tellRefusal({ pods, rejection, nodePools }: SolveRefusal): readonly Refusal[] {
  const told = nodePools.map(({ nodePool, rejection: { by, because } }) => ({
    nodePool,
    by,
    because: inShort(because),
  }));
  const { by } = rejection;
  const because = inShort(rejection.because);
  return pods.map((pod) => ({ pod: podName(pod), by, because, nodePools: told }));
}

/**
 * As much of a reason as an Event carries behind its opening words.
 * Source: kubernetes v1.36, apis/core/validation/events.go: a note is at most 1 kB.
 */
const inShort = (because: string): string =>
  because.length > LONGEST_REASON ? `${because.slice(0, LONGEST_REASON - 1)}…` : because;

/** In characters; with the opening words and three bytes for the ellipsis under 1 kB. */
const LONGEST_REASON = 990;

/** How many pods a warning names before it only counts them. */
const NAMED_PODS = 3;

function tellWish({ wish, pods }: WishGivenUp): string {
  const named = pods.slice(0, NAMED_PODS).map(podName).join(', ');
  const more = pods.length > NAMED_PODS ? `, and ${pods.length - NAMED_PODS} more` : '';
  const [who, whose] = pods.length === 1 ? ['1 pod', 'is'] : [`${pods.length} pods`, 'are'];
  return `${who} (${named}${more}) ${whose} placed without ${wish}`;
}
