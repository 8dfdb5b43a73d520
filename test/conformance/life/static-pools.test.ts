/**
 * Karpenter's behaviours of static NodePools that are short of nodes, restated.
 * Source: karpenter v1.14, static/provisioning/suite_test.go, state/nodepoolstate_test.go.
 */
import { describe, expect, it } from 'vitest';
import { openStaticRoom } from '#lib/decide/commands/static-renewal.ts';
import { staticShortfall } from '#lib/decide/static-pools.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { anInFlightNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const labels = { 'karpenter.sh/nodepool': 'fixed' };
const aPool = (difference: Parameters<typeof aNodePool>[0]): NodePool =>
  aNodePool({ ...difference, meta: { name: 'fixed', ...difference?.meta } });
const members = (count: number, difference: Parameters<typeof aNodeClaim>[0] = {}) =>
  Array.from(
    { length: count },
    (_, at): StateNode =>
      anInFlightNode(
        aNodeClaim({
          ...difference,
          meta: { name: `${JSON.stringify(difference).length}-${at}`, labels, ...difference?.meta },
        }),
      ),
  );
const aCluster = (pool: NodePool, nodes: readonly StateNode[]): Snapshot =>
  aSnapshot({
    settings: someSettings({ featureGates: ['StaticCapacity'] }),
    nodePools: [pool],
    nodes,
    pods: [],
  });
const made = (pool: NodePool, nodes: readonly StateNode[] = members(2)): number =>
  staticShortfall(aCluster(pool, nodes)).claims.length;

const GOING = { meta: { deletedAt: NOON } };
const MARKED = {
  status: { conditions: [...conditionsUpTo('Initialized'), aCondition('DisruptionReason')] },
};

describe('static NodePools', () => {
  it.each([
    ['up to their replicas', { replicas: 5 }, 3],
    ['within their limit on nodes', { replicas: 5, limits: { nodes: 3 } }, 1],
    ['never below nothing', { replicas: 1 }, 0],
    [
      'not before they are ready',
      { replicas: 5, status: { conditions: [aCondition('Ready', { status: 'False' })] } },
      0,
    ],
    ['not while they are being deleted', { replicas: 5, meta: { deletedAt: NOON } }, 0],
    [
      'not for another provider’s NodeClass',
      {
        replicas: 5,
        template: {
          ...aNodePool().template,
          nodeClassRef: { group: 'example.com', kind: 'OtherNodeClass', name: 'default' },
        },
      },
      0,
    ],
  ])('149: get nodes %s', (_how, pool, count) => {
    expect(made(aPool(pool as Parameters<typeof aNodePool>[0]))).toBe(count);
  });

  it('149: never exceed the limit whoever is on the way out', () => {
    const pool = aPool({ replicas: 5, limits: { nodes: 5 } });

    expect(made(pool, [...members(2), ...members(2, GOING)])).toBe(1);
  });

  it('150: grant what the limit leaves beside those that run, go and are replaced, and no less than nothing', () => {
    const granted = (limit: number): number => {
      const pool = aPool({ replicas: 4, limits: { nodes: limit } });
      const nodes = [...members(4), ...members(2, GOING), ...members(1, MARKED)];
      const { take } = openStaticRoom(aCluster(pool, nodes));
      const draft = { members: [{ pool }], replacements: ['one node'] };
      const reserved = [take(draft), take(draft)].filter((each) => each).length;
      return reserved + [take(draft), take(draft)].filter((each) => each).length;
    };

    expect([granted(10), granted(9), granted(7), granted(3)]).toEqual([3, 2, 0, 0]);
  });
});
