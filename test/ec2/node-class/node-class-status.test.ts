import { describe, expect, it } from 'vitest';
import { nodeClassStatus } from '#lib/ec2/node-class/node-class-status.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeClassFacts } from '#lib/model/node-class-facts.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';
import { someSettings } from '#test/build/snapshots.ts';

const facts: NodeClassFacts = {
  nodeClass: 'default',
  subnets: [
    { id: 'subnet-0few', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 20 },
    { id: 'subnet-b', zone: 'us-east-1b', zoneId: 'use1-az2', freeAddresses: 100 },
    { id: 'subnet-a', zone: 'us-east-1b', zoneId: 'use1-az2', freeAddresses: 100 },
  ],
  securityGroups: [{ id: 'sg-2' }, { id: 'sg-1', name: 'nodes' }],
  images: [
    { id: 'ami-1', name: 'al2023', architecture: 'x86_64', createdAt: 0, variants: ['standard'] },
  ],
  instanceProfiles: [{ name: 'test_profile', roles: ['node-role'], createdAt: 0 }],
};

/** A NodeClass that nobody has looked at yet. */
const fresh = (difference: Parameters<typeof aNodeClass>[0] = {}): NodeClass => ({
  ...aNodeClass(difference),
  status: {
    subnets: [],
    securityGroups: [],
    amis: [],
    capacityReservations: [],
    conditions: [],
  },
});

const resolve = (
  difference: Partial<NodeClassFacts> = {},
  { nodeClass = fresh(), serviceCidr = '10.100.0.0/16' } = {},
) => {
  const settings = someSettings({ serviceCidr });
  return nodeClassStatus(nodeClass, { ...facts, ...difference }, { settings, now: NOON }).status;
};

const verdictOf = (status: ReturnType<typeof resolve>, type: string) => {
  const { status: is, reason } = conditionOf(status.conditions, type) ?? {};
  return `${is} ${reason}`;
};

describe('nodeClassStatus', () => {
  it('is ready once everything was found, and says at which generation', () => {
    const status = resolve({}, { nodeClass: fresh({ meta: { generation: 3 } }) });

    expect(status.conditions.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'AMIsReady=True',
      'CapacityReservationsReady=True',
      'InstanceProfileReady=True',
      'PlacementGroupReady=True',
      'Ready=True',
      'SecurityGroupsReady=True',
      'SubnetsReady=True',
      'ValidationSucceeded=True',
    ]);
    expect(status.conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(
      true,
    );
  });

  it('lists subnets by free addresses, then id', () => {
    expect(resolve().subnets).toEqual([
      { id: 'subnet-a', zone: 'us-east-1b', zoneId: 'use1-az2', freeAddresses: 100 },
      { id: 'subnet-b', zone: 'us-east-1b', zoneId: 'use1-az2', freeAddresses: 100 },
      { id: 'subnet-0few', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 20 },
    ]);
    expect(resolve().securityGroups?.map(({ id }) => id)).toEqual(['sg-1', 'sg-2']);
  });

  it.each([
    ['SubnetsReady', 'SubnetsNotFound', { subnets: [] }],
    ['SecurityGroupsReady', 'SecurityGroupsNotFound', { securityGroups: [] }],
    ['AMIsReady', 'AMINotFound', { images: [] }],
  ])('is not ready where %s is not', (type, reason, difference) => {
    const status = resolve(difference);

    expect(verdictOf(status, type)).toBe(`False ${reason}`);
    expect(verdictOf(status, 'ValidationSucceeded')).toBe('False DependenciesNotReady');
    expect(verdictOf(status, 'Ready')).toBe('False UnhealthyDependents');
  });

  it('keeps what was known where AWS did not answer', () => {
    const known = fresh();
    const before = resolve();
    const nodeClass = { ...known, status: { ...known.status, conditions: before.conditions } };
    const after = resolve({ subnets: { failed: 'RequestLimitExceeded: slow' } }, { nodeClass });

    expect(after.subnets).toBeUndefined();
    expect(after.conditions).toEqual(before.conditions);
  });

  it('waits for the instance profile without calling it a failure', () => {
    const status = resolve({ instanceProfiles: [] });

    expect(verdictOf(status, 'InstanceProfileReady')).toBe('Unknown AwaitingReconciliation');
    expect(verdictOf(status, 'ValidationSucceeded')).toBe('Unknown DependenciesNotReady');
    expect(verdictOf(status, 'Ready')).toBe('Unknown ReconcilingDependents');
  });

  it.each<[string, Parameters<typeof aNodeClass>[0]]>([
    [
      'InvalidKubeletConfiguration',
      { spec: { kubelet: { evictionSoft: { 'memory.available': '5%' } } } },
    ],
    ['InvalidKubeletConfiguration', { spec: { kubelet: { kubeReserved: { gpu: '1' } } } }],
    ['KubeletExpressionsDisabled', { spec: { kubelet: { kubeReserved: { cpu: 'vcpus * 10' } } } }],
    ['TagValidationFailed', { spec: { tags: { 'karpenter.sh/nodeclaim': 'x' } } }],
  ])('does not validate: %s', (reason, difference) => {
    expect(verdictOf(resolve({}, { nodeClass: fresh(difference) }), 'ValidationSucceeded')).toBe(
      `False ${reason}`,
    );
  });

  it('does not validate while the service network of the cluster is unknown', () => {
    expect(verdictOf(resolve({}, { serviceCidr: '' }), 'ValidationSucceeded')).toBe(
      'False ClusterCIDRResolutionFailed',
    );
  });

  it('says of an alias that has no images in this minor that it is not supported', () => {
    const nodeClass = fresh({ spec: { amiSelectorTerms: [{ alias: 'al2@latest' }] } });

    expect(verdictOf(resolve({}, { nodeClass }), 'AMIsReady')).toBe('False UnsupportedAlias');
  });
});
