import { describe, expect, it } from 'vitest';
import { candidateOf } from '#lib/disruption/candidates.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aCatalog } from '#test/build/instance-types.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { NOON, ownedBy } from '#test/build/objects.ts';
import { aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const judged = (
  state: StateNode,
  difference: Partial<Snapshot> = {},
  nominated: readonly string[] = [],
) =>
  candidateOf(state, {
    snapshot: aSnapshot({ nodes: [state], ...difference }),
    nominated: new Set(nominated),
  });
const guard = { 'karpenter.sh/do-not-disrupt': 'true' };

describe('candidateOf', () => {
  it('takes a node that nothing speaks against', () => {
    expect(judged(aStateNode({ pods: [aRunningPod()] }))).toMatchObject({
      node: { meta: { name: 'node-1' } },
      pool: { meta: { name: 'default' } },
    });
  });

  it.each([
    ['unmanaged', anUnmanagedNode(aNode()), 'Node is not managed by a NodeClaim'],
    [
      'of a foreign NodeClass',
      aStateNode({
        claim: aNodeClaim({
          spec: { nodeClassRef: { group: 'example.com', kind: 'OtherClass', name: 'default' } },
        }),
      }),
      'Node is not managed by a NodeClaim',
    ],
    ['in flight', anInFlightNode(aNodeClaim()), 'Nodeclaim does not have an associated node'],
    [
      'not initialized',
      aStateNode({ node: aNode({ meta: { labels: { 'karpenter.sh/initialized': 'no' } } }) }),
      "Node isn't initialized",
    ],
    [
      'being deleted',
      aStateNode({ claim: aNodeClaim({ meta: { deletedAt: NOON } }) }),
      'Node is deleting or marked for deletion',
    ],
    [
      'protected by its Node',
      aStateNode({ node: aNode({ meta: { annotations: guard } }) }),
      'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
    ],
    [
      'of no known pool',
      aStateNode({ node: aNode({ meta: { labels: { 'karpenter.sh/nodepool': 'gone' } } }) }),
      'NodePool not found (NodePool=gone)',
    ],
    [
      'host to a protected pod',
      aStateNode({ pods: [aRunningPod({ meta: { annotations: guard } })] }),
      'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/web-1)',
    ],
    [
      'host to a protected pod of a DaemonSet',
      aStateNode({
        pods: [aRunningPod({ meta: { annotations: guard, owners: [ownedBy('DaemonSet')] } })],
      }),
      'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/web-1)',
    ],
  ])('refuses a node that is %s', (_what, state, because) => {
    expect(judged(state)).toMatchObject({ because });
  });

  it('refuses a node that was promised to a pending pod', () => {
    expect(judged(aStateNode(), {}, ['node-1'])).toMatchObject({
      by: 'nominated',
      because: 'Node is nominated for a pending pod',
    });
  });

  it('refuses a node of a pool for which nothing is sold', () => {
    expect(judged(aStateNode(), { catalog: aCatalog([]) })).toMatchObject({
      because: 'NodePool not found (NodePool=default)',
    });
  });

  it('refuses a node with a pod that no budget lets go', () => {
    const podDisruptionBudgets = [aPodDisruptionBudget({ disruptionsAllowed: 0 })];

    expect(judged(aStateNode({ pods: [aRunningPod()] }), { podDisruptionBudgets })).toEqual({
      by: 'pdb',
      because: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/budget])',
    });
  });

  it('does not ask budgets about pods that nobody would evict', () => {
    const podDisruptionBudgets = [aPodDisruptionBudget({ disruptionsAllowed: 0 })];
    const state = aStateNode({ pods: [aRunningPod({ phase: 'Succeeded' })] });

    expect(judged(state, { podDisruptionBudgets })).toHaveProperty('pool');
  });
});
