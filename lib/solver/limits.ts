import {
  addResources,
  amountOf,
  fits,
  maxResources,
  type Resources,
  subtractResources,
} from '#lib/constraints/resources.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { INSTANCE_TYPE, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isGoing } from './hosts.ts';

/** What a NodePool's limits still allow; undefined where it has none. Only limited resources. */
export type Allowance = Resources | undefined;

/**
 * What the limits of `nodePool` leave: less what its nodes and NodeClaims hold that are not on
 * their way out. A NodeClaim whose size is not known yet counts as the largest it may become.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, remainingResources.
 */
export function allowanceOf(nodePool: NodePool, snapshot: Snapshot): Allowance {
  if (Object.keys(nodePool.limits).length === 0) return undefined;
  let held: Resources = {};
  for (const stateNode of snapshot.nodes) {
    if (poolOf(stateNode) !== nodePool.meta.name || isGoing(stateNode)) continue;
    held = addResources(held, { ...capacityOf(stateNode, snapshot, nodePool), nodes: 1 });
  }
  return onlyLimited(subtractResources(nodePool.limits, held), nodePool);
}

const poolOf = ({ node, claim }: StateNode): string | undefined =>
  claim?.meta.labels[NODEPOOL] ?? node?.meta.labels[NODEPOOL];

function capacityOf(
  { node, claim }: StateNode,
  { catalog }: Snapshot,
  nodePool: NodePool,
): Resources {
  const known = maxResources(claim?.status.capacity ?? {}, node?.capacity ?? {});
  if (node || !claim || amountOf(known, 'cpu') > 0) return known;
  const listed = claim.spec.requirements.find(({ key }) => key === INSTANCE_TYPE)?.values ?? [];
  const types = catalog.byNodeClass.get(nodePool.template.nodeClassRef.name) ?? [];
  return types
    .filter(({ name }) => listed.includes(name))
    .reduce<Resources>((largest, { capacity }) => maxResources(largest, capacity), {});
}

const onlyLimited = (amounts: Resources, { limits }: NodePool): Resources =>
  Object.fromEntries(Object.keys(limits).map((name) => [name, amountOf(amounts, name)]));

/** What one more node of `capacity` takes of an allowance, `nodes` included. */
export const chargeFor = (capacity: Resources, allowance: Resources): Resources => {
  const node = { ...capacity, nodes: 1 };
  return Object.fromEntries(Object.keys(allowance).map((name) => [name, amountOf(node, name)]));
};

/** Whether a node of `type` stays within the allowance. */
export const allows = (allowance: Allowance, type: InstanceType): boolean =>
  allowance === undefined || fits(chargeFor(type.capacity, allowance), allowance);

/** How many nodes of `type` stay within the allowance; Infinity without limits. */
export function nodesAllowed(allowance: Allowance, type: InstanceType): number {
  if (allowance === undefined) return Number.POSITIVE_INFINITY;
  const charge = chargeFor(type.capacity, allowance);
  let nodes = Number.POSITIVE_INFINITY;
  for (const [name, amount] of Object.entries(charge)) {
    if (amountOf(allowance, name) < 0) return 0;
    if (amount > 0) nodes = Math.min(nodes, Math.floor(amountOf(allowance, name) / amount));
  }
  return nodes;
}

/** The largest share of what is left of any limited resource that a node of `type` takes. */
export function shareOf(type: InstanceType, allowance: Resources): number {
  const charge = chargeFor(type.capacity, allowance);
  return Object.keys(allowance).reduce((most, name) => {
    const left = Math.max(1, amountOf(allowance, name));
    return Math.max(most, amountOf(charge, name) / left);
  }, 0);
}
