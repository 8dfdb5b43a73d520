import { byName, byNamespacedName, compareText } from '#lib/constraints/order.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';

/** Nodes with their claims and pods, and the pods that no Node holds. */
export interface JoinedNodes {
  /** Sorted by name, then by the claim's name. */
  readonly nodes: readonly StateNode[];
  /** Pods that are bound to no node, sorted by namespace and name. */
  readonly pods: readonly Pod[];
}

/**
 * Joins Nodes and NodeClaims on the provider id, and pods to Nodes by name. A claim whose instance
 * has not joined yet, and a Node that no claim knows, stand alone. Where two Nodes bear one
 * provider id, the first by name gets the claim and the others stand alone. A pod bound to a Node
 * that is not there is left out: it neither needs a place nor takes one. O(n log n).
 *
 * Source: karpenter v1.14, state/cluster.go, newStateFromNode and newStateFromNodeClaim.
 */
export function joinNodes(
  nodes: readonly Node[],
  claims: readonly NodeClaim[],
  pods: readonly Pod[],
): JoinedNodes {
  const podsByNode = Map.groupBy(pods, ({ nodeName }) => nodeName ?? '');
  const claimsById = new Map<string, NodeClaim>();
  const states: StateNode[] = [];
  for (const claim of claims.toSorted(byName)) {
    const { providerId } = claim.status;
    if (providerId === undefined || claimsById.has(providerId)) states.push(alone(claim));
    else claimsById.set(providerId, claim);
  }
  for (const node of nodes.toSorted(byName)) {
    const claim = takeOut(claimsById, node.providerId);
    const bound = (podsByNode.get(node.meta.name) ?? []).toSorted(byNamespacedName);
    states.push({ name: node.meta.name, node, ...(claim && { claim }), pods: bound });
  }
  for (const claim of claimsById.values()) states.push(alone(claim));
  return {
    nodes: states.sort(byStateName),
    pods: (podsByNode.get('') ?? []).toSorted(byNamespacedName),
  };
}

function takeOut<Value>(from: Map<string, Value>, key: string | undefined): Value | undefined {
  if (key === undefined) return undefined;
  const value = from.get(key);
  from.delete(key);
  return value;
}

const alone = (claim: NodeClaim): StateNode => ({ name: claim.meta.name, claim, pods: [] });

/** A Node and a claim that stand alone may share a name. */
const byStateName = (a: StateNode, b: StateNode): number =>
  compareText(a.name, b.name) || compareText(uidOf(a), uidOf(b));

const uidOf = ({ node, claim }: StateNode): string => node?.meta.uid ?? claim?.meta.uid ?? '';
