/** Nodes that consolidation may take, and what a pass makes of them. */
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { CONSOLIDATABLE } from '#lib/model/condition-types.ts';
import type { CapacityType, InstanceType } from '#lib/model/instance-type.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { spec } from './constraints.ts';
import { aCatalog, anInstanceType } from './instance-types.ts';
import { aNodeClaim, conditionsUpTo } from './node-claims.ts';
import { aCondition, aNodePool } from './node-pools.ts';
import { aNode, aStateNode } from './nodes.ts';
import { type Difference, GIB } from './objects.ts';
import { aRunningPod } from './pods.ts';
import { aSnapshot } from './snapshots.ts';

/** What a test may say of a member. */
export interface MemberDifference {
  readonly type?: InstanceType;
  readonly capacityType?: CapacityType;
  readonly zone?: string;
  readonly pool?: string;
  readonly pods?: readonly Pod[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: readonly ReturnType<typeof aCondition>[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly claim?: Parameters<typeof aNodeClaim>[0];
}

/** The conditions of a node whose pods have settled. */
export const SETTLED = [...conditionsUpTo('Initialized'), aCondition(CONSOLIDATABLE)];

/** A node of 4 cpu for $0.20/h on demand. */
export const MEDIUM = anInstanceType('m5.xlarge', { cpu: 4, pods: 58 });

/** A node of pool `default` that is up and has settled: an m5.xlarge on demand in us-east-1a. */
export function aMember(name: string, difference: MemberDifference = {}): StateNode {
  const { type = MEDIUM, capacityType = 'on-demand', zone = 'us-east-1a', pods = [] } = difference;
  const labels = {
    'karpenter.sh/nodepool': difference.pool ?? 'default',
    'karpenter.sh/capacity-type': capacityType,
    'node.kubernetes.io/instance-type': type.name,
    'topology.kubernetes.io/zone': zone,
    ...difference.labels,
  };
  const providerId = `aws:///${zone}/i-${name}`;
  const { capacity, allocatable } = type;
  const { annotations = {} } = difference;
  return aStateNode({
    node: aNode({
      meta: { name, uid: name, labels, annotations },
      providerId,
      capacity,
      allocatable,
    }),
    claim: aNodeClaim({
      ...difference.claim,
      meta: { name: `claim-${name}`, uid: `claim-${name}`, labels, ...difference.claim?.meta },
      status: {
        nodeName: name,
        providerId,
        capacity,
        allocatable,
        conditions: difference.conditions ?? SETTLED,
        ...difference.claim?.status,
      },
    }),
    pods: pods.map((pod) => ({ ...pod, nodeName: name })),
  });
}

/** A running pod that asks for so many millicpu and a tenth of a GiB. */
export const mover = (name: string, cpu: number, difference: Difference<Pod> = {}): Pod =>
  aRunningPod({
    ...difference,
    meta: { name, uid: name, ...difference.meta },
    requests: difference.requests ?? { cpu, memory: GIB / 10 },
  });

/** A pool of on-demand capacity that lets everything go, unless something else is said. */
export const aFreePool = (difference: Parameters<typeof aNodePool>[0] = {}): NodePool =>
  aNodePool({
    template: { requirements: [spec('karpenter.sh/capacity-type In on-demand')] },
    ...difference,
    disruption: { budgets: [{ nodes: '100%' }], ...difference.disruption },
  });

/** A cluster of members and types, its pool free. */
export const aCluster = (
  nodes: readonly StateNode[],
  { types, ...difference }: Partial<Snapshot> & { readonly types?: readonly InstanceType[] } = {},
): Snapshot =>
  aSnapshot({
    nodePools: [aFreePool()],
    catalog: aCatalog(types ?? [MEDIUM]),
    nodes,
    ...difference,
  });

/** What one pass removes and makes: node names, and the types of each new node. */
export function pass(snapshot: Snapshot) {
  const plan = decideConsolidate(snapshot);
  return {
    plan,
    removed: plan.commands.map(({ remove }) => remove.join('+')),
    made: plan.nodeClaims.map(({ instanceTypes }) => instanceTypes),
    why: (name: string) => plan.kept.find(({ node }) => node === name)?.because,
  };
}
