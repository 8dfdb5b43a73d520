import type { NodeClaim } from '#lib/model/node-claim.ts';
import { aCondition } from './node-pools.ts';
import { aMeta, type Difference, GIB, HOUR } from './objects.ts';

/** What an m5.large holds. */
export const M5_LARGE = { cpu: 2000, memory: 8 * GIB, pods: 29 };

/** The conditions of a NodeClaim that has come this far. */
export const conditionsUpTo = (stage: 'Launched' | 'Registered' | 'Initialized') => {
  const stages = ['Launched', 'Registered', 'Initialized'];
  const reached = stages.indexOf(stage);
  const told = stages.map((type, at) =>
    at <= reached
      ? aCondition(type)
      : aCondition(type, { status: 'Unknown', reason: 'AwaitingReconciliation' }),
  );
  const isReady = stage === 'Initialized';
  const ready = isReady
    ? aCondition('Ready')
    : aCondition('Ready', { status: 'Unknown', reason: 'ReconcilingDependents' });
  return [...told, ready].sort((a, b) => (a.type < b.type ? -1 : 1));
};

/** A NodeClaim of the pool `default` whose m5.large has joined as node-1 and is initialized. */
export function aNodeClaim(difference: Difference<NodeClaim, 'spec' | 'status'> = {}): NodeClaim {
  const { meta, spec, status } = difference;
  return {
    meta: aMeta('claim-1', {
      finalizers: ['karpenter.sh/termination'],
      ...meta,
      labels: {
        'karpenter.sh/nodepool': 'default',
        'karpenter.sh/capacity-type': 'on-demand',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-east-1a',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        ...meta?.labels,
      },
    }),
    spec: {
      taints: [],
      startupTaints: [],
      requirements: [],
      requests: { cpu: 1000, pods: 1 },
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      expireAfter: 720 * HOUR,
      ...spec,
    },
    status: {
      nodeName: 'node-1',
      providerId: 'aws:///us-east-1a/i-0123456789abcdef0',
      imageId: 'ami-1',
      capacity: M5_LARGE,
      allocatable: M5_LARGE,
      conditions: conditionsUpTo('Initialized'),
      ...status,
    },
  };
}

/** A NodeClaim that was just written: no instance, no condition. */
export function aNewClaim(difference: Difference<NodeClaim, 'spec' | 'status'> = {}): NodeClaim {
  const claim = aNodeClaim(difference);
  return {
    ...claim,
    status: { capacity: {}, allocatable: {}, conditions: [], ...difference.status },
  };
}
