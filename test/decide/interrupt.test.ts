import { describe, expect, it } from 'vitest';
import { decideInterrupt } from '#lib/decide/interrupt.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { NOON } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const ID = 'i-0123456789abcdef0';
const announced = (kind: Interruption['kind'], instanceId = ID): Interruption => ({
  kind,
  instanceId,
  announcedAt: NOON,
});
const spotNode = aStateNode({
  claim: aNodeClaim({
    meta: {
      labels: {
        'karpenter.sh/nodepool': 'default',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'us-east-1a',
        'karpenter.sh/capacity-type': 'spot',
      },
    },
    status: { nodeName: 'node-1', providerId: `aws:///us-east-1a/${ID}` },
  }),
  node: aNode(),
  pods: [aRunningPod()],
});
const kindsOf = (plan: ReturnType<typeof decideInterrupt>) => plan.actions.map(({ kind }) => kind);

describe('decideInterrupt', () => {
  it('hears nothing of instances that are nobody’s here', () => {
    const plan = decideInterrupt(aSnapshot({ nodes: [spotNode] }), [
      announced('SpotInterruption', 'i-0fedcba9876543210'),
    ]);

    expect(plan).toMatchObject({ decision: 'interrupt', commands: [], kept: [] });
    expect(kindsOf(plan)).not.toContain('delete');
  });

  it('marks, deletes, makes another node for the pods and drains, in one plan', () => {
    const plan = decideInterrupt(aSnapshot({ nodes: [spotNode] }), [announced('SpotInterruption')]);

    expect(kindsOf(plan).slice(0, 2)).toEqual(['markUnavailable', 'delete']);
    expect(plan.commands).toMatchObject([
      { reason: 'Interrupted', remove: ['node-1'], podsMoved: 1 },
    ]);
    expect(plan.nodeClaims).toHaveLength(1);
    expect(kindsOf(plan)).toContain('createNodeClaim');
  });

  it('does not buy the offering again that EC2 takes back', () => {
    const plan = decideInterrupt(aSnapshot({ nodes: [spotNode] }), [announced('SpotInterruption')]);
    const [made] = plan.nodeClaims;

    expect(made?.cheapest).not.toEqual({
      instanceType: 'm5.large',
      zone: 'us-east-1a',
      capacityType: 'spot',
    });
  });

  it('goes by the gravest of what is announced for one instance', () => {
    const plan = decideInterrupt(aSnapshot({ nodes: [spotNode] }), [
      announced('RebalanceRecommendation'),
      announced('SpotInterruption'),
    ]);

    expect(plan.actions).toContainEqual(
      expect.objectContaining({ kind: 'delete', because: 'spot_interrupted' }),
    );
    expect(plan.kept).toEqual([]);
  });

  it('says why a node stays of which something was announced', () => {
    const plan = decideInterrupt(aSnapshot({ nodes: [spotNode] }), [
      announced('RebalanceRecommendation'),
    ]);

    expect(plan.kept).toEqual([
      {
        node: 'node-1',
        by: 'interruption',
        because: 'a rebalance recommendation is only told',
      },
    ]);
  });
});
