import { describe, expect, it } from 'vitest';
import { spec } from '#test/build/constraints.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode, aStateNode } from '#test/build/nodes.ts';
import { GIB, NOON } from '#test/build/objects.ts';
import { named, planOf } from '#test/build/plans.ts';

describe('10.15 state and sync', () => {
  const unlaunched = aNewClaim({
    meta: { name: 'claim-1', labels: {} },
    spec: { requirements: [spec('node.kubernetes.io/instance-type In m5.large')] },
  });

  it('190: a claim that is not launched takes pods as it will be (upstream waits for its launch)', () => {
    const plan = planOf({ nodes: [anInFlightNode(unlaunched)], pods: [named('web')] });

    expect(plan.placements).toEqual([{ pod: 'default/web', nodeClaim: 'claim-1' }]);
    expect(plan.claims).toEqual([]);
  });

  it('190: a claim that is launched takes pods as a node does', () => {
    const launched = aNodeClaim({ status: { conditions: conditionsUpTo('Launched') } });

    expect(planOf({ nodes: [anInFlightNode(launched)], pods: [named('web')] }).claims).toEqual([]);
  });

  it('191: a claim that is deleted before its launch keeps nobody waiting', () => {
    const going = { ...unlaunched, meta: { ...unlaunched.meta, deletedAt: NOON } };

    expect(planOf({ nodes: [anInFlightNode(going)], pods: [named('web')] }).claims).toHaveLength(1);
  });

  it.each([
    ['', 1],
    ['true', 0],
  ])('193: what a node does not report yet counts as promised, initialized=%s', (is, placed) => {
    const allocatable = { cpu: 2000, memory: 8 * GIB, pods: 29 };
    const node = aNode({
      meta: { labels: { 'karpenter.sh/initialized': is } },
      allocatable: { ...allocatable, 'nvidia.com/gpu': 0 },
    });
    const claim = aNodeClaim({ status: { allocatable: { ...allocatable, 'nvidia.com/gpu': 1 } } });
    const plan = planOf({
      nodes: [aStateNode({ node, claim })],
      pods: [named('web', { requests: { 'nvidia.com/gpu': 1 } })],
    });

    expect(plan.placements).toHaveLength(placed);
  });
});
