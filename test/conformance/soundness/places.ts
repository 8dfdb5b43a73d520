/** Where pods stand when a whole plan stands: nodes that stay and nodes that are to be made. */
import type { Taint } from '#lib/constraints/taints.ts';
import type { Placing } from '#lib/decide/place.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { outcomesOf } from './claims.ts';
import { lastingTaints, shapesOf } from './hosts.ts';
import { HOSTNAME, isAlive, isLeaving, type Labels, nameOf } from './rules.ts';

/** One node, there or to be. */
export interface Place {
  readonly name: string;
  readonly isNew: boolean;
  readonly isLeaving: boolean;
  readonly taints: readonly Taint[];
  /** Each set of labels that it may turn out to have; one for a node that is there. */
  readonly outcomes: readonly Labels[];
  /** Pods that run there and are not moved by the plan. */
  readonly bound: readonly Pod[];
  /** Pods that the plan puts there. */
  readonly coming: readonly Pod[];
}

/** All places of a plan, those that are going included. */
export function placesOf(
  snapshot: Snapshot,
  placing: Placing,
  pods: ReadonlyMap<string, Pod>,
): readonly Place[] {
  const moved = new Set([
    ...placing.claims.flatMap((claim) => claim.pods),
    ...placing.placements.map(({ pod }) => pod),
  ]);
  const onHost = Map.groupBy(placing.placements, ({ node, nodeClaim }) => node ?? nodeClaim);
  const known = (names: readonly string[]): Pod[] => names.flatMap((name) => pods.get(name) ?? []);
  const hosts = snapshot.nodes.map((host): Place => {
    const bound = host.pods.filter((pod) => isAlive(pod) && !moved.has(nameOf(pod)));
    const own = host.node?.meta.labels[HOSTNAME] ?? host.name;
    return {
      name: host.name,
      isNew: false,
      isLeaving: isLeaving(host),
      taints: lastingTaints(host),
      outcomes: shapesOf(host, snapshot).map(({ labels }) => named(labels, own)),
      bound,
      coming: known((onHost.get(host.name) ?? []).map(({ pod }) => pod)),
    };
  });
  const claims = placing.claims.map((claim): Place => {
    const pool = snapshot.nodePools.find(({ meta }) => meta.name === claim.nodePool);
    const labels = placing.creations.flatMap((action) =>
      action.kind === 'createNodeClaim' && action.claim.name === claim.name
        ? [action.claim.labels]
        : [],
    );
    const outcomes = pool ? outcomesOf(snapshot, pool, claim, labels[0] ?? {}) : [];
    return {
      name: claim.name,
      isNew: true,
      isLeaving: false,
      taints: pool?.template.taints ?? [],
      outcomes: outcomes.map(({ labels: each }) => named(each, claim.name)),
      bound: [],
      coming: known(claim.pods),
    };
  });
  return [...hosts, ...claims];
}

const named = (labels: Labels, hostname: string): Labels =>
  new Map([...labels, [HOSTNAME, [hostname]]]);

const seen = new WeakMap<Place, Map<string, ReadonlySet<string | undefined>>>();

/** The values that a place may turn out to have for a label; undefined is its absence. */
export function valuesAt(place: Place, key: string): ReadonlySet<string | undefined> {
  const known = seen.get(place) ?? new Map<string, ReadonlySet<string | undefined>>();
  seen.set(place, known);
  const values =
    known.get(key) ?? new Set(place.outcomes.flatMap((labels) => labels.get(key) ?? [undefined]));
  known.set(key, values);
  return values;
}
