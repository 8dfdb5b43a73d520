/**
 * Karpenter's behaviours of emptiness, restated.
 * Source: karpenter v1.14, disruption/emptiness_test.go, disruption/suite_test.go.
 */
import { describe, expect, it } from 'vitest';
import { decideProvision } from '#lib/decide/provision.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { aNode, aStateNode } from '#test/build/nodes.ts';
import { NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { applied, quietWorld } from '#test/build/quiet-world.ts';

const anyBudget = { budgets: [{ nodes: '100%' }] };

/** A quiet cluster with one node of pool `default` and these pods on it. */
function aClusterWith(pods: readonly Pod[], pool: NodePool = aNodePool({ disruption: anyBudget })) {
  return quietWorld({ nodePools: [pool], nodes: [aStateNode({ pods })] });
}

/** What has been done when provision has looked every second for so long. */
function playedFor(seconds: number, snapshot: Snapshot): Snapshot {
  let current = snapshot;
  for (let second = 0; second <= seconds; second++) {
    const plan = decideProvision({ ...current, takenAt: NOON + second * SECOND });
    current = { ...applied(current, plan.actions), takenAt: NOON + second * SECOND };
  }
  return current;
}
const isGoing = (snapshot: Snapshot): boolean =>
  snapshot.nodes.every(({ claim }) => claim?.meta.deletedAt !== undefined);

describe('Emptiness', () => {
  it('can delete empty nodes', () => {
    expect(isGoing(playedFor(20, aClusterWith([])))).toBe(true);
  });

  it('waits for the validation period before deleting', () => {
    expect(isGoing(playedFor(14, aClusterWith([])))).toBe(false);
  });

  it('taints the node before its NodeClaim is deleted', () => {
    const before = playedFor(16, aClusterWith([]));

    expect(before.nodes[0]?.node?.taints).toEqual([
      { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' },
    ]);
    expect(isGoing(before)).toBe(false);
  });

  it.each([
    ['DaemonSet pods', { owners: [ownedBy('DaemonSet')] }, true],
    ['terminating ReplicaSet pods', { deletedAt: NOON + 30 * SECOND }, true],
    [
      'terminating StatefulSet pods',
      { deletedAt: NOON + 30 * SECOND, owners: [ownedBy('StatefulSet')] },
      false,
    ],
    ['pods', {}, false],
  ])('considers a node that only holds %s', (_what, meta, empty) => {
    expect(isGoing(playedFor(20, aClusterWith([aRunningPod({ meta })])))).toBe(empty);
  });

  it.each([
    ['whose consolidateAfter is Never', { consolidateAfter: 'Never' as const }],
    ['with a budget of 0', { budgets: [{ nodes: '0' }] }],
    [
      'with a budget of 0 for empty nodes',
      { budgets: [{ nodes: '0', reasons: ['Empty' as const] }] },
    ],
  ])('leaves the nodes of a pool alone %s', (_what, disruption) => {
    const pool = aNodePool({ disruption: { ...anyBudget, ...disruption } });

    expect(isGoing(playedFor(20, aClusterWith([], pool)))).toBe(false);
  });

  it('leaves the nodes of a static pool alone', () => {
    const pool = aNodePool({ disruption: anyBudget, replicas: 1 });

    expect(isGoing(playedFor(20, aClusterWith([], pool)))).toBe(false);
  });

  it('deletes empty nodes whatever the consolidation policy', () => {
    const pool = aNodePool({ disruption: { ...anyBudget, consolidationPolicy: 'WhenEmpty' } });

    expect(isGoing(playedFor(20, aClusterWith([], pool)))).toBe(true);
  });

  it('deletes no more nodes at once than the budget allows', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => {
      const node = aNode({ meta: { name: `node-${at}` }, providerId: `aws:///us-east-1a/i-${at}` });
      const state = aStateNode({ node });
      const meta = { ...state.claim?.meta, name: `claim-${at}`, uid: `claim-${at}` };
      return { ...state, claim: { ...state.claim, meta } } as typeof state;
    });
    const nodePools = [aNodePool({ disruption: { budgets: [{ nodes: '30%' }] } })];
    const later = playedFor(30, quietWorld({ nodePools, nodes }));

    expect(later.nodes.filter(({ claim }) => claim?.meta.deletedAt !== undefined)).toHaveLength(3);
  });

  it('does not delete a node that a pending pod was promised', () => {
    const cluster = aClusterWith([]);
    const pending = [aPod({ meta: { name: 'pending' } })];

    expect(isGoing(playedFor(20, { ...cluster, pods: pending }))).toBe(false);
  });

  it('takes its proposal back when a pod comes', () => {
    const proposed = playedFor(5, aClusterWith([]));
    const [state] = proposed.nodes;
    if (!state) throw new Error('expected a node, found none');
    expect(state.claim?.meta.annotations).toHaveProperty(['joinery.dev/disruption']);
    const later = playedFor(20, { ...proposed, nodes: [{ ...state, pods: [aRunningPod()] }] });

    expect(later.nodes[0]?.claim?.meta.annotations).not.toHaveProperty(['joinery.dev/disruption']);
    expect(isGoing(later)).toBe(false);
  });

  it('gives a marked node back when a pod came just before the taint', () => {
    const marked = playedFor(15, aClusterWith([]));
    const [state] = marked.nodes;
    if (!state) throw new Error('expected a node, found none');
    const later = playedFor(20, { ...marked, nodes: [{ ...state, pods: [aRunningPod()] }] });

    expect(later.nodes[0]?.node?.taints).toEqual([]);
    expect(
      later.nodes[0]?.claim?.status.conditions.some(({ type }) => type === 'DisruptionReason'),
    ).toBe(false);
  });

  it('goes on where it was cut off between the mark and the taint', () => {
    const marked = playedFor(15, aClusterWith([]));
    const [state] = marked.nodes;
    if (!state?.node) throw new Error('expected a Node, found none');
    const untainted = { ...marked, nodes: [{ ...state, node: { ...state.node, taints: [] } }] };
    const plan = decideProvision(untainted);

    expect(plan.actions.filter(({ kind }) => kind !== 'updateStatus')).toMatchObject([
      { kind: 'update', object: { kind: 'Node' }, taints: [{ key: 'karpenter.sh/disrupted' }] },
    ]);
  });
});
