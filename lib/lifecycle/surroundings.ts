import { byName } from '#lib/constraints/order.ts';
import { gravestOf } from '#lib/lifecycle/health/gravest.ts';
import type { Instance } from '#lib/model/instance.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { isServed, type NodePool } from '#lib/model/node-pool.ts';
import { shiftedZoneNames } from '#lib/model/shifted-zones.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { instanceIdOf } from './provider-id.ts';

/** A Snapshot, indexed by what the steps of a NodeClaim's life ask for. */
export interface Surroundings {
  readonly snapshot: Snapshot;
  readonly now: EpochMs;
  /** Every NodeClaim whose NodeClass is ours, sorted by name. */
  readonly claims: readonly NodeClaim[];
  /** Nodes by provider id; more than one is a fault that registration reports. */
  readonly nodesByProviderId: ReadonlyMap<string, readonly StateNode[]>;
  /** By instance id; absent where nobody asked EC2. */
  readonly instances?: ReadonlyMap<string, Instance>;
  /** What EC2's own checks announce, by instance id; empty where nobody asked. */
  readonly ailing: ReadonlyMap<string, Interruption>;
  /** NodeClaims by the id of the instance they hold, sorted by name. */
  readonly holders: ReadonlyMap<string, readonly NodeClaim[]>;
  readonly nodePools: ReadonlyMap<string, NodePool>;
  readonly nodeClasses: ReadonlyMap<string, NodeClass>;
  /** Names of the zones that traffic is shifted away from: what EC2 says of them may be wrong. */
  readonly shiftedZones: ReadonlySet<string>;
}

/** The Snapshot, indexed. O(nodes + instances + pools). */
export function surroundingsOf(snapshot: Snapshot): Surroundings {
  const claims = snapshot.nodes
    .flatMap(({ claim }) => claim ?? [])
    .filter(({ spec }) => isServed(spec.nodeClassRef))
    .sort(byName);
  const instances = snapshot.instances;
  return {
    snapshot,
    now: snapshot.takenAt,
    claims,
    nodesByProviderId: grouped(snapshot.nodes, ({ node }) => node?.providerId),
    ...(instances ? { instances: new Map(instances.map((each) => [each.id, each])) } : {}),
    ailing: gravestOf(snapshot.instanceStatus?.interruptions ?? []),
    holders: grouped(claims, ({ status }) => instanceIdOf(status.providerId)),
    nodePools: new Map(snapshot.nodePools.map((pool) => [pool.meta.name, pool])),
    nodeClasses: new Map(snapshot.nodeClasses.map((each) => [each.meta.name, each])),
    shiftedZones: shiftedZoneNames(snapshot),
  };
}

/** The NodePools whose NodeClass is ours, sorted by name. */
export const servedPools = ({ nodePools }: Snapshot): readonly NodePool[] =>
  nodePools.filter(({ template }) => isServed(template.nodeClassRef)).sort(byName);

/** What `list` holds by key, in its order; what has no key is left out. */
export function grouped<T>(
  list: readonly T[],
  keyOf: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const known = groups.get(key);
    if (known) known.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The Nodes that an instance's kubelet has registered for a NodeClaim. */
export function nodesOf(around: Surroundings, { status }: NodeClaim): readonly StateNode[] {
  if (status.providerId === undefined) return [];
  return around.nodesByProviderId.get(status.providerId) ?? [];
}

/** The NodePool that a NodeClaim was made from, if it still exists. */
export const nodePoolOf = (around: Surroundings, { meta }: NodeClaim): NodePool | undefined =>
  around.nodePools.get(meta.labels[NODEPOOL] ?? '');

/** Whether an object is there that could not be read, so that nothing follows from not seeing it. */
export const isUnread = ({ snapshot }: Surroundings, kind: string, name: string): boolean =>
  snapshot.leftOut.some(({ object }) => object.kind === kind && object.name === name);

/** Whether the Node of a registered NodeClaim is there, but could not be read. */
export const isNodeUnread = (around: Surroundings, { status }: NodeClaim): boolean =>
  status.nodeName !== undefined && isUnread(around, 'Node', status.nodeName);
