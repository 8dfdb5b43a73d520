import { describe, expect, it } from 'vitest';
import { podDigest, podsToPlace } from '#lib/decide/pods-to-place.ts';
import { decideProvision } from '#lib/decide/provision.ts';
import { FOR_PODS } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aWaitingNode } from '#test/build/barriers.ts';
import { aNodeClaim } from '#test/build/node-claims.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { type Difference, NOON } from '#test/build/objects.ts';
import { aPod, aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const SECOND = 1_000;
const ZONE = 'topology.kubernetes.io/zone';

const given = (name: string): Pod => aPod({ meta: { name, createdAt: NOON - 5 * SECOND } });
/** A pod that was just made, and of which kube-scheduler has said nothing. */
function untried(name: string, difference: Difference<Pod> = {}): Pod {
  const meta = { name, createdAt: NOON - SECOND, ...difference.meta };
  const { scheduled: _, ...pod } = aPod({ ...difference, meta });
  return pod;
}

const placed = (difference: Partial<Snapshot>): readonly string[] =>
  podsToPlace(aSnapshot(difference)).pods.map(({ meta }) => meta.name);
/** A node of 2 cpu on which pods of this priority take so much of it. */
const nodeWith = (cpu: number, priority = 0) =>
  aStateNode({ pods: [aRunningPod({ requests: { cpu }, priority })] });

describe('pods that kube-scheduler has not come to yet', () => {
  it('wait for its word as long as it has given up on nobody', () => {
    expect(placed({ pods: [untried('web-2')] })).toEqual([]);
  });

  it('are planned for with those that it has given up on, where no node is', () => {
    expect(placed({ pods: [given('web-1'), untried('web-2')] })).toEqual(['web-1', 'web-2']);
    expect(
      decideProvision(aSnapshot({ pods: [given('web-1'), untried('web-2')] })).nodeClaims,
    ).toMatchObject([{ pods: ['default/web-1', 'default/web-2'] }]);
  });

  it('wait for its word where a node has room for one of them', () => {
    const pods = [given('web-1'), untried('web-2')];

    expect(placed({ pods, nodes: [nodeWith(500)] })).toEqual(['web-1']);
    expect(placed({ pods, nodes: [nodeWith(1500)] })).toEqual(['web-1', 'web-2']);
  });

  it.each([
    ['is cordoned', aNode({ unschedulable: true }), {}],
    ['is tainted', aNode({ taints: [{ key: 'a', value: '', effect: 'NoSchedule' }] }), {}],
    ['stands in another zone', aNode(), { nodeSelector: { [ZONE]: 'us-east-1b' } }],
  ])('are planned for where the only node with room %s', (_, node, difference) => {
    const pods = [given('web-1'), untried('web-2', difference)];

    expect(placed({ pods, nodes: [anUnmanagedNode(node)] })).toContain('web-2');
    expect(placed({ pods, nodes: [anUnmanagedNode(aNode())] })).toEqual(
      'nodeSelector' in difference ? ['web-1', 'web-2'] : ['web-1'],
    );
  });

  it('wait for its word where a taint only asks to be avoided', () => {
    const taints = [{ key: 'a', value: '', effect: 'PreferNoSchedule' } as const];

    expect(
      placed({
        pods: [given('web-1'), untried('web-2')],
        nodes: [anUnmanagedNode(aNode({ taints }))],
      }),
    ).toEqual(['web-1']);
  });

  it('wait for its word where they may push others aside', () => {
    const nodes = [nodeWith(1500, -10)];

    expect(placed({ pods: [given('web-1'), untried('web-2')], nodes })).toEqual(['web-1']);
    const patient = untried('web-2', { preemptionPolicy: 'Never' });
    expect(placed({ pods: [given('web-1'), patient], nodes })).toEqual(['web-1', 'web-2']);
  });

  it('are not guessed about after a minute, nor if another scheduler is meant', () => {
    const old = untried('web-2', { meta: { createdAt: NOON - 61 * SECOND } });

    expect(placed({ pods: [given('web-1'), old] })).toEqual(['web-1']);
    expect(placed({ pods: [given('web-1'), untried('web-2', { schedulerName: 'x' })] })).toEqual([
      'web-1',
    ]);
  });

  it('are not guessed about where a Node could not be read', () => {
    const object = { apiVersion: 'v1', kind: 'Node', name: 'node-9', uid: 'u' };
    const leftOut = [{ object, field: 'status.allocatable', problem: 'unreadable' }];

    expect(placed({ pods: [given('web-1'), untried('web-2')], leftOut })).toEqual(['web-1']);
  });

  it('stay planned for, once a node is made or named for them, until they are bound', () => {
    const pod = untried('web-2', { meta: { createdAt: NOON - 90 * SECOND } });
    const annotations = { [FOR_PODS]: podDigest(pod.meta.uid) };
    const nodes = [anInFlightNode(aNodeClaim({ meta: { annotations } }))];
    const named = { ...pod, nominatedNodeName: 'node-1', isNominatedByUs: true } as const;

    expect(placed({ pods: [pod], nodes })).toEqual(['web-2']);
    expect(placed({ pods: [named], nodes: [aStateNode()] })).toEqual(['web-2']);
    expect(placed({ pods: [{ ...named, nodeName: 'node-1' }], nodes: [aStateNode()] })).toEqual([]);
  });

  it('are named their node last, and the oldest of them at the very end', () => {
    const pods = [
      untried('a-old', { meta: { createdAt: NOON - 3 * SECOND }, requests: { cpu: 100 } }),
      untried('b-new', { requests: { cpu: 100 } }),
      aPod({ meta: { name: 'c-given-up' }, requests: { cpu: 100 } }),
    ];
    const { actions } = decideProvision(aSnapshot({ pods, nodes: [aWaitingNode('a')] }));

    expect(
      actions.flatMap((action) => (action.kind === 'nominate' ? [action.pod.name] : [])),
    ).toEqual(['c-given-up', 'b-new', 'a-old']);
  });
});
