import { describe, expect, it } from 'vitest';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { wantedOf } from '#test/build/lives.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo, M5_LARGE } from '#test/build/node-claims.ts';
import { aCondition, aNodeClass, aNodePool } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, MINUTE, NOON, ownedBy } from '#test/build/objects.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const poolStatus = (difference: Partial<Snapshot> = {}) => {
  const snapshot = aSnapshot(difference);
  const [pool] = snapshot.nodePools;
  const changed = wantedOf(snapshot, 'default').status;
  return { ...pool?.status, ...changed };
};
const condition = (type: string, difference: Partial<Snapshot> = {}) =>
  conditionOf(poolStatus(difference).conditions ?? [], type);

describe('what a NodePool counts', () => {
  const NOTHING = { cpu: 0, memory: 0, pods: 0, 'ephemeral-storage': 0, nodes: 0 };

  it('161: is zero of everything where there is no node', () => {
    expect(poolStatus()).toMatchObject({ resources: NOTHING, nodes: 0 });
  });

  it('161: is what its nodes have, and what is expected of those that are not initialized', () => {
    const expected = { cpu: 4000, memory: 16 * GIB, pods: 58 };
    const launched = aNodeClaim({
      meta: { name: 'claim-2' },
      status: {
        capacity: expected,
        conditions: conditionsUpTo('Launched'),
        providerId: 'aws:///a/i-2',
      },
    });
    const nodes = [aStateNode(), anInFlightNode(launched)];

    expect(poolStatus({ nodes })).toMatchObject({
      nodes: 2,
      resources: { cpu: 6000, memory: 24 * GIB, pods: 87, nodes: 2 },
    });
  });

  it('161: does not count nodes that are going', () => {
    const conditions = [...conditionsUpTo('Initialized'), aCondition('DisruptionReason')];
    const nodes = [
      aStateNode({ claim: aNodeClaim({ meta: { deletedAt: NOON } }) }),
      aStateNode({
        node: aNode({ meta: { name: 'node-2' }, capacity: M5_LARGE }),
        claim: aNodeClaim({ meta: { name: 'claim-2' }, status: { conditions } }),
      }),
    ];

    expect(poolStatus({ nodes })).toMatchObject({ nodes: 0, resources: NOTHING });
  });

  it('goes down to zero for what it has no more', () => {
    const nodePools = [aNodePool({ status: { resources: { 'nvidia.com/gpu': 4 } } })];

    expect(poolStatus({ nodePools }).resources).toEqual({ ...NOTHING, 'nvidia.com/gpu': 0 });
  });
});

describe('whether a NodePool is Ready', () => {
  it.each([
    ['NodeClassNotFound', []],
    ['NodeClassTerminating', [aNodeClass({ meta: { deletedAt: NOON } })]],
    ['NodeClassReadinessUnknown', [aNodeClass({ status: { conditions: [] } })]],
    [
      'SubnetsNotFound',
      [
        aNodeClass({
          status: {
            conditions: [aCondition('Ready', { status: 'False', reason: 'SubnetsNotFound' })],
          },
        }),
      ],
    ],
  ])('depends on its NodeClass: %s', (reason, nodeClasses) => {
    expect(condition('NodeClassReady', { nodeClasses })).toMatchObject({ status: 'False', reason });
    expect(condition('Ready', { nodeClasses })).toMatchObject({ status: 'False' });
  });

  it('depends on its own validity', () => {
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['unknown'] },
    ];
    const nodePools = [aNodePool({ template: { requirements } })];

    expect(condition('ValidationSucceeded', { nodePools })).toMatchObject({
      status: 'False',
      reason: 'NodePoolValidationFailed',
    });
    expect(condition('Ready', { nodePools })).toMatchObject({ status: 'False' });
  });

  it('is so when both are well', () => {
    const nodePools = [aNodePool({ status: { conditions: [] } })];

    expect(condition('Ready', { nodePools })).toMatchObject({ status: 'True' });
  });
});

describe('NodeRegistrationHealthy', () => {
  const HEALTHY = 'NodeRegistrationHealthy';
  const owners = [{ ...ownedBy('Node'), kind: 'NodePool', uid: 'uid-of--default' }];
  const aPool = (status: 'True' | 'False' | 'Unknown', generation = 1): NodePool => {
    const conditions = [aCondition(HEALTHY, { status, changedAt: NOON - 30 * MINUTE })];
    return aNodePool({
      meta: { generation },
      status: { conditions, nodeClassObservedGeneration: 1 },
    });
  };
  const late = (name: string): NodeClaim =>
    aNewClaim({ meta: { name, owners, createdAt: NOON - 6 * MINUTE } });
  const registered = aNodeClaim({
    meta: { owners },
    status: { conditions: [aCondition('Registered', { changedAt: NOON - MINUTE })] },
  });
  const health = (pool: NodePool, claims: readonly NodeClaim[] = []) =>
    condition(HEALTHY, { nodePools: [pool], nodes: claims.map(anInFlightNode) })?.status;

  it.each([
    ['is Unknown at first', aNodePool(), [], 'Unknown'],
    ['is Unknown when the pool has changed', aPool('False', 2), [], 'Unknown'],
    ['stays what it is', aPool('False'), [], 'False'],
    ['becomes True when a node has registered since', aPool('Unknown'), [registered], 'True'],
    ['does not recover by one success', aPool('False'), [registered], 'False'],
    ['survives one failure', aPool('True'), [late('a')], 'True'],
    ['does not survive two', aPool('True'), [late('a'), late('b')], 'False'],
  ] as const)('%s', (_what, pool, claims, expected) => {
    expect(health(pool, claims)).toBe(expected);
  });

  it('remembers the last four in an annotation, so that failures one by one add up', () => {
    const remembering = (text: string): NodePool => {
      const pool = aPool('True');
      const annotations = { ...pool.meta.annotations, 'joinery.dev/registrations': text };
      return { ...pool, meta: { ...pool.meta, annotations } };
    };
    const told = (text: string, claims: readonly NodeClaim[]) => {
      const nodePools = [remembering(text)];
      const nodes = claims.map(anInFlightNode);
      return wantedOf(aSnapshot({ nodePools, nodes }), 'default').update?.meta.annotations;
    };
    const since = '2026-11-20T11:30:00Z';

    expect(health(remembering(`v1 ${since} failed,ok,ok`), [late('a')])).toBe('False');
    expect(health(remembering(`v1 ${since} failed,ok,ok,ok`), [late('a')])).toBe('True');
    expect(told(`v1 ${since} failed,ok,ok,ok`, [late('a')])).toMatchObject({
      'joinery.dev/registrations': 'v1 2026-11-20T11:59:00Z ok,ok,ok,failed',
    });
    expect(health(remembering('v1 2026-11-20T11:59:00Z failed,ok'), [late('a')])).toBe('True');
  });

  it('does not judge a pool by the NodeClaims of another with its name', () => {
    const others = [late('a'), late('b')].map((claim) => ({
      ...claim,
      meta: { ...claim.meta, owners: [] },
    }));

    expect(health(aPool('True'), others)).toBe('True');
  });

  it('does not keep the pool from being Ready', () => {
    const nodePools = [aPool('False')];

    expect(condition('Ready', { nodePools })).toMatchObject({ status: 'True' });
  });
});
