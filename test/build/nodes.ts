import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { aNodeClaim, M5_LARGE } from './node-claims.ts';
import { aMeta, type Difference, HOUR, NOON } from './objects.ts';

/** The Node node-1: an m5.large in us-east-1a, registered, initialized, ready for 30 minutes. */
export function aNode(difference: Difference<Node> = {}): Node {
  const { meta, ...rest } = difference;
  const name = meta?.name ?? 'node-1';
  return {
    meta: aMeta(name, {
      finalizers: ['karpenter.sh/termination'],
      ...meta,
      labels: {
        'karpenter.sh/nodepool': 'default',
        'karpenter.sh/capacity-type': 'on-demand',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-east-1a',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        ...meta?.labels,
      },
    }),
    providerId: 'aws:///us-east-1a/i-0123456789abcdef0',
    taints: [],
    unschedulable: false,
    capacity: M5_LARGE,
    allocatable: M5_LARGE,
    ready: { status: 'True', changedAt: NOON - HOUR / 2 },
    ...rest,
  };
}

/** A Node with its NodeClaim and no pods, named after the Node. */
export function aStateNode(difference: Partial<Omit<StateNode, 'name'>> = {}): StateNode {
  const node = difference.node ?? aNode();
  const status = {
    nodeName: node.meta.name,
    ...(node.providerId && { providerId: node.providerId }),
  };
  const claim = difference.claim ?? aNodeClaim({ status });
  return { name: node.meta.name, node, claim, pods: difference.pods ?? [] };
}

/** A NodeClaim whose Node has not joined. */
export const anInFlightNode = (claim: NodeClaim): StateNode => ({
  name: claim.meta.name,
  claim,
  pods: [],
});

/** A Node that nobody's NodeClaim stands behind. */
export const anUnmanagedNode = (node: Node, pods: StateNode['pods'] = []): StateNode => ({
  name: node.meta.name,
  node,
  pods,
});
