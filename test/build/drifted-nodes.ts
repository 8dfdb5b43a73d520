import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNodeClaim, conditionsUpTo } from './node-claims.ts';
import { aCondition } from './node-pools.ts';
import { aNode, aStateNode } from './nodes.ts';
import { HOUR, NOON } from './objects.ts';
import { aRunningPod } from './pods.ts';

const DRIFTED = {
  changedAt: NOON - HOUR,
  reason: 'NodePoolDrifted',
  message: 'NodePoolDrifted',
} as const;

/** What is different about a node that has drifted. */
export interface DriftedDifference {
  readonly pods?: readonly Pod[];
  readonly nodePool?: string;
  readonly terminationGraceMs?: number;
  readonly isDrifted?: boolean;
}

/** A pod that leaves no room for another of its kind on a node. */
export const aLargePod = (nodeName: string, name = `web-on-${nodeName}`): Pod =>
  aRunningPod({ meta: { name }, nodeName, requests: { cpu: 1500 } });

/** A node whose NodePool's template has changed since it was made, with one large pod on it. */
export function aDriftedNode(name = 'node-1', difference: DriftedDifference = {}): StateNode {
  const { pods = [aLargePod(name)], nodePool = 'default', terminationGraceMs } = difference;
  const providerId = `aws:///us-east-1a/i-${name}`;
  const labels = { 'karpenter.sh/nodepool': nodePool };
  const mark = difference.isDrifted === false ? [] : [aCondition('Drifted', DRIFTED)];
  return aStateNode({
    node: aNode({ meta: { name, labels }, providerId }),
    claim: aNodeClaim({
      meta: {
        name: `claim-of-${name}`,
        labels,
        annotations: {
          'karpenter.sh/nodepool-hash': '1',
          'karpenter.sh/nodepool-hash-version': 'v3',
        },
      },
      ...(terminationGraceMs !== undefined && { spec: { terminationGraceMs } }),
      status: {
        nodeName: name,
        providerId,
        conditions: [...conditionsUpTo('Initialized'), ...mark],
      },
    }),
    pods,
  });
}

/** The nodes that were made by what was played, not given. */
export const replacementsIn = ({ nodes }: Snapshot): readonly StateNode[] =>
  nodes.filter(({ claim }) => claim !== undefined && !claim.meta.name.startsWith('claim-of-'));

/** Names of the nodes whose NodeClaims are being deleted. */
export const deletedIn = ({ nodes }: Snapshot): readonly string[] =>
  nodes.flatMap(({ name, claim }) => (claim?.meta.deletedAt === undefined ? [] : [name]));
