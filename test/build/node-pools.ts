import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Condition } from '#lib/model/object.ts';
import { aMeta, type Difference, HOUR, NOON } from './objects.ts';

/** A condition that has held for half an hour. */
export const aCondition = (type: string, difference: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  changedAt: NOON - HOUR / 2,
  observedGeneration: 1,
  ...difference,
});

/** The NodePool `default`: ready, without limits, taints or requirements, of the NodeClass `default`. */
export function aNodePool(
  difference: Difference<NodePool, 'template' | 'disruption' | 'status'> = {},
): NodePool {
  const { meta, template, disruption, status, ...rest } = difference;
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return {
    meta: aMeta('default', meta),
    template: {
      labels: {},
      annotations: {},
      taints: [],
      startupTaints: [],
      requirements: [],
      nodeClassRef,
      expireAfter: 720 * HOUR,
      ...template,
    },
    wireTemplate: { spec: { nodeClassRef, expireAfter: '720h', requirements: [] } },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: 0,
      budgets: [{ nodes: '10%' }],
      ...disruption,
    },
    limits: {},
    weight: 0,
    status: {
      resources: {},
      nodes: 0,
      conditions: ['NodeClassReady', 'Ready', 'ValidationSucceeded'].map((type) =>
        aCondition(type),
      ),
      ...status,
    },
    ...rest,
  };
}

/** The EC2NodeClass `default`: AL2023, ready, with a subnet in each of three zones. */
export function aNodeClass(difference: Difference<NodeClass, 'spec' | 'status'> = {}): NodeClass {
  const { meta, spec, status, ...rest } = difference;
  return {
    meta: aMeta('default', meta),
    spec: {
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'test' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'test' } }],
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      capacityReservationSelectorTerms: [],
      role: 'node-role',
      tags: {},
      blockDeviceMappings: [],
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'disabled',
        httpPutResponseHopLimit: 1,
        httpTokens: 'required',
      },
      ...spec,
    },
    wire: {
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'test' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'test' } }],
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role: 'node-role',
    },
    status: {
      subnets: ['a', 'b', 'c'].map((zone, at) => ({
        id: `subnet-${zone}`,
        zone: `us-east-1${zone}`,
        zoneId: `use1-az${at + 1}`,
      })),
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      amis: [
        {
          id: 'ami-1',
          name: 'amazon-eks-node-al2023-x86_64-standard-1.33-v20261101',
          deprecated: false,
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
        },
      ],
      capacityReservations: [],
      instanceProfile: 'test_profile',
      conditions: [aCondition('Ready')],
      ...status,
    },
    ...rest,
  };
}
