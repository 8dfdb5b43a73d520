import { compareText } from '#lib/constraints/order.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BufferPlan, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { ineligibility } from '#lib/solver/refusals/eligibility.ts';
import { type SolveResult, solve } from '#lib/solver/solve.ts';
import { volumeObjectsOf } from '#lib/solver/volumes/volume-lookup.ts';
import { type ResolvedBuffer, resolveBuffers } from './buffer-pods.ts';
import { type Creation, creationsOf } from './creations.ts';
import { nameClaims, namesIn, plannedNodeClaim } from './new-node-claim.ts';
import { withCreated } from './plan-ahead.ts';
import { expectedOn, promisedOn } from './pods-to-place.ts';

/** What was planned for pods that are really there. */
export interface PlacedPods {
  readonly solved: SolveResult;
  readonly creations: readonly Creation[];
  /** By the name of the claim: the pods it is for. */
  readonly podsOf: ReadonlyMap<string, readonly Pod[]>;
}

/** A CapacityBuffer and what became of it. */
export interface BufferOutcome {
  readonly resolved: ResolvedBuffer;
  readonly plan: BufferPlan;
}

/** What CapacityBuffers want beside it. */
export interface BufferPlacing {
  readonly claims: readonly PlannedNodeClaim[];
  readonly creations: readonly Creation[];
  /** By namespace and name. */
  readonly buffers: readonly BufferOutcome[];
  /** Nodes on which room is kept; not empty, whatever they hold. Sorted. */
  readonly held: readonly string[];
  readonly warnings: readonly string[];
  readonly lowerBoundUsdPerHour: number;
}

const NOTHING: BufferPlacing = {
  claims: [],
  creations: [],
  buffers: [],
  held: [],
  warnings: [],
  lowerBoundUsdPerHour: 0,
};

/**
 * Keeps room for the pods of CapacityBuffers: on nodes that are there, or on those just planned,
 * else on new ones. Pods that are really there go first and are not moved for it.
 *
 * Source: karpenter v1.14, provisioning/provisioner.go; there virtual pods compete with real ones
 * by size.
 */
export function placeBuffers(snapshot: Snapshot, placed: PlacedPods): BufferPlacing {
  const resolved = resolveBuffers(snapshot);
  if (resolved.length === 0) return NOTHING;
  const ahead = withCreated(snapshot, placed.creations);
  const volumes = volumeObjectsOf(snapshot);
  const pods = resolved
    .flatMap((each) => each.pods)
    .filter((pod) => ineligibility(pod, volumes) === undefined);
  const solved = solve({
    snapshot: ahead,
    pods,
    promised: promisesOf(snapshot, placed),
    expected: expectedOn(pods, ahead),
  });
  const named = nameClaims(solved.claims, namesIn(ahead)).toSorted((a, b) =>
    compareText(a.name, b.name),
  );
  const there = new Set(snapshot.nodes.filter(isThere).map(({ name }) => name));
  const buffers = resolved.map((each) => ({ resolved: each, plan: planOf(each, solved, there) }));
  return {
    claims: named.map(plannedNodeClaim),
    creations: creationsOf(named, snapshot),
    buffers,
    held: [...new Set(solved.placements.map(({ host }) => host))].sort(compareText),
    warnings: buffers.flatMap(({ plan }) => warningOf(plan)),
    lowerBoundUsdPerHour: solved.lowerBoundUsdPerHour,
  };
}

/** A NodeClaim that has no instance yet is not capacity. */
const isThere = ({ node, claim }: StateNode): boolean =>
  node !== undefined || claim?.status.providerId !== undefined;

/** Room that pods are about to take, by node: nominated there, or just placed. */
function promisesOf(
  snapshot: Snapshot,
  { solved, podsOf }: PlacedPods,
): ReadonlyMap<string, readonly Pod[]> {
  const promised = new Map<string, readonly Pod[]>([...promisedOn(snapshot), ...podsOf]);
  for (const [host, placements] of Map.groupBy(solved.placements, (each) => each.host)) {
    const pods = placements.map(({ pod }) => pod);
    promised.set(host, [...(promised.get(host) ?? []), ...pods]);
  }
  return promised;
}

function planOf(
  { buffer, pods, replicas, problem }: ResolvedBuffer,
  solved: SolveResult,
  there: ReadonlySet<string>,
): BufferPlan {
  const uids = new Set(pods.map(({ meta }) => meta.uid));
  const mine = solved.placements.filter(({ pod }) => uids.has(pod.meta.uid));
  const onNodes = mine.filter(({ host }) => there.has(host)).length;
  const planned = solved.claims.flatMap((claim) => claim.pods);
  const onNewNodes =
    mine.length - onNodes + planned.filter(({ meta }) => uids.has(meta.uid)).length;
  const refusal = solved.refusals.find((each) => each.pods.some(({ meta }) => uids.has(meta.uid)));
  const because = problem?.message ?? refusal?.rejection.because;
  return {
    buffer: `${buffer.meta.namespace}/${buffer.meta.name}`,
    replicas,
    onNodes,
    onNewNodes,
    refused: replicas - onNodes - onNewNodes,
    ...(because !== undefined && { because }),
  };
}

function warningOf({ buffer, replicas, refused, because }: BufferPlan): readonly string[] {
  const why = because === undefined ? '' : `: ${because}`;
  if (refused > 0) {
    return [
      `CapacityBuffer ${buffer}: no room can be kept for ${refused} of its ${replicas} pods${why}`,
    ];
  }
  return because === undefined ? [] : [`CapacityBuffer ${buffer} keeps no room${why}`];
}
