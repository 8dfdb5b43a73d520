import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { aNodeClaim, conditionsUpTo } from './node-claims.ts';
import { aNode } from './nodes.ts';
import { type Difference, NOON, SECOND } from './objects.ts';

/** The taint with which the nodes of one plan wait for each other. */
export const BARRIER = { key: 'joinery.dev/joining', value: '', effect: 'NoSchedule' } as const;

const providerIdOf = (name: string): string => `aws:///us-east-1a/i-${name}`;

/** A NodeClaim of the batch b, launched as an instance of its own; registered where a Node is to be. */
export const aWaitingClaim = (
  name: string,
  difference: Difference<NodeClaim, 'spec' | 'status'> = {},
): NodeClaim =>
  aNodeClaim({
    meta: { name, annotations: { 'joinery.dev/batch': 'b' }, ...difference.meta },
    spec: { startupTaints: [BARRIER], ...difference.spec },
    status: {
      providerId: providerIdOf(name),
      conditions: conditionsUpTo('Registered'),
      ...difference.status,
    },
  });

/** The same with its Node, which joined ten seconds ago, is Ready and waits behind the barrier. */
export function aWaitingNode(
  name: string,
  difference: Difference<Node> & { readonly pods?: StateNode['pods'] } = {},
): StateNode {
  const { pods = [], ...ofNode } = difference;
  const node = aNode({
    providerId: providerIdOf(name),
    taints: [BARRIER],
    ...ofNode,
    meta: {
      name: `node-${name}`,
      createdAt: NOON - 10 * SECOND,
      ...ofNode.meta,
      labels: { 'karpenter.sh/initialized': 'false', ...ofNode.meta?.labels },
    },
  });
  const claim = aWaitingClaim(name, { status: { nodeName: node.meta.name } });
  return { name: node.meta.name, node, claim, pods };
}
