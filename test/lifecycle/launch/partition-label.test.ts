import { describe, expect, it } from 'vitest';
import type { Instance } from '#lib/model/instance.ts';
import { anInstance } from '#test/build/instances.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON, SECOND } from '#test/build/objects.ts';

const PARTITION = 'karpenter.k8s.aws/placement-group-partition';

/** What is wanted of a launched NodeClaim in the group pg-1, whose instance EC2 tells of like this. */
function wanted(
  strategy: 'cluster' | 'partition' | 'spread' | undefined,
  { partition, labels = {} }: { partition?: number; labels?: Record<string, string> } = {},
) {
  const claim = aNodeClaim({
    meta: { labels: { 'karpenter.k8s.aws/placement-group-id': 'pg-1', ...labels } },
    status: {
      conditions: conditionsUpTo('Launched').map((each) => ({ ...each, changedAt: NOON - SECOND })),
    },
  });
  const { nodeName: _, ...status } = claim.status;
  const id = claim.status.providerId?.split('/').at(-1) ?? '';
  const instance: Instance = anInstance({ id, ...(partition === undefined ? {} : { partition }) });
  const group = strategy && ({ id: 'pg-1', name: 'g', strategy, partitions: 3 } as const);
  const snapshot = aSettledSnapshot({
    nodeClasses: [aNodeClass({ status: group ? { placementGroup: group } : {} })],
    nodes: [anInFlightNode({ ...claim, status })],
    instances: [instance],
  });
  return wantedOf(snapshot, claim.meta.name);
}

describe('127a: a node in a placement group of partitions', () => {
  it('is not registered before EC2 has said in which partition it is', () => {
    expect(wanted('partition').condition('Registered')).toMatchObject({
      status: 'Unknown',
      reason: 'PartitionNotKnown',
    });
  });

  it('carries the partition that EC2 put it into', () => {
    expect(wanted('partition', { partition: 3 }).update?.meta.labels).toEqual({ [PARTITION]: '3' });
  });

  it.each([
    ['no group', undefined, {}],
    ['a cluster group', 'cluster', {}],
    ['a spread group', 'spread', {}],
    ['a partition that it asked for', 'partition', { [PARTITION]: '2' }],
  ] as const)('waits for nothing with %s', (_, strategy, labels) => {
    const { condition, update } = wanted(strategy, { labels, partition: 3 });
    expect(condition('Registered')?.reason).not.toBe('PartitionNotKnown');
    expect(update?.meta.labels?.[PARTITION]).toBeUndefined();
  });
});
