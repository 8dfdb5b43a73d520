/**
 * Karpenter's behaviours of the end of nodes, restated.
 * Source: karpenter v1.14, node/termination/suite_test.go, nodeclaim/lifecycle/termination_test.go.
 */
import { describe, expect, it } from 'vitest';
import { advance } from '#lib/lifecycle/advance.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { taint } from '#test/build/constraints.ts';
import { anInstance } from '#test/build/instances.ts';
import { aSettledSnapshot, wantedOf } from '#test/build/lives.ts';
import { aNewClaim, aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition } from '#test/build/node-pools.ts';
import { aNode, anInFlightNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { aMeta, MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';

const fenced = {
  taints: [taint('karpenter.sh/disrupted:NoSchedule')],
  labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
};
const leavingClaim = (
  conditions: Parameters<typeof aCondition>[],
  difference: Parameters<typeof aNodeClaim>[0] = {},
): NodeClaim =>
  aNodeClaim({
    ...difference,
    meta: { deletedAt: NOON - MINUTE, ...difference.meta },
    status: {
      conditions: [
        ...conditionsUpTo('Initialized'),
        ...conditions.map((each) => aCondition(...each)),
      ],
    },
  });
const leavingNode = (difference: Parameters<typeof aNode>[0] = {}) =>
  aNode({
    taints: fenced.taints,
    ...difference,
    meta: { deletedAt: NOON - MINUTE, labels: fenced.labels, ...difference.meta },
  });

const seen = (state: Partial<Omit<StateNode, 'name'>>, difference: Partial<Snapshot> = {}) => {
  const snapshot = aSettledSnapshot({
    nodes: [aStateNode(state)],
    instances: [anInstance()],
    ...difference,
  });
  return {
    claim: wantedOf(snapshot, 'claim-1'),
    node: wantedOf(snapshot, 'node-1'),
    pod: wantedOf(snapshot, 'web-1'),
  };
};
const DRAINED = ['Drained', { changedAt: NOON - MINUTE }] as Parameters<typeof aCondition>;
const DRAINING = (secondsAgo: number) =>
  [
    'Drained',
    {
      status: 'Unknown',
      reason: 'Draining',
      message: 'Draining',
      changedAt: NOON - secondsAgo * SECOND,
    },
  ] as Parameters<typeof aCondition>;

describe('deletion of a NodeClaim', () => {
  it('156: fences its Node off first: no new pods, no new connections', () => {
    const { node } = seen({ claim: leavingClaim([]) });

    expect(node.kinds).toEqual(['update']);
    expect(node.update).toMatchObject({ meta: { labels: fenced.labels }, taints: fenced.taints });
  });

  it('deletes its Node once that is fenced off', () => {
    const node = aNode({ taints: fenced.taints, meta: { labels: fenced.labels } });

    expect(seen({ claim: leavingClaim([]), node }).node.kinds).toEqual(['delete']);
  });

  it('136: writes the deadline of a limited grace once', () => {
    const spec = { terminationGraceMs: 10 * MINUTE };
    const { claim } = seen({ claim: leavingClaim([DRAINED], { spec }), node: leavingNode() });

    expect(claim.update?.meta.annotations).toEqual({
      'karpenter.sh/nodeclaim-termination-timestamp': '2026-11-20T12:09:00Z',
    });
    expect(claim.events).toEqual([
      'TerminationGracePeriodExpiring: All pods will be deleted by 2026-11-20T12:09:00Z',
    ]);
  });

  it('136: keeps a deadline that stands', () => {
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-11-20T12:00:30Z' };
    const spec = { terminationGraceMs: 10 * MINUTE };
    const claim = leavingClaim([DRAINED], { spec, meta: { annotations } });

    expect(seen({ claim, node: leavingNode() }).claim.update).toBeUndefined();
    expect(seen({ claim, node: leavingNode() }).node.events).toEqual([
      'TerminationGracePeriodExpiring: All pods will be deleted by 2026-11-20T12:00:30Z',
    ]);
  });

  it('135: ends the instance at once if the NodeClaim never registered', () => {
    const claim = aNodeClaim({
      meta: { deletedAt: NOON },
      status: { conditions: conditionsUpTo('Launched') },
    });
    const snapshot = aSettledSnapshot({
      nodes: [anInFlightNode(claim)],
      instances: [anInstance()],
    });

    expect(wantedOf(snapshot, 'claim-1').kinds).toEqual(['terminateInstance', 'updateStatus']);
  });

  it.each([
    [
      'keeps the finalizer while the instance is shutting down',
      [anInstance({ state: 'shutting-down' })],
      false,
    ],
    ['removes it when the instance is terminated', [anInstance({ state: 'terminated' })], true],
    ['removes it when the instance is listed no more', [], true],
    ['keeps it while nobody has asked EC2', undefined, false],
  ])('%s', (_what, instances, isReleased) => {
    const claim = leavingClaim([DRAINED]);
    const nodes = [anInFlightNode(claim)];
    const snapshot = aSettledSnapshot({ nodes, ...(instances ? { instances } : {}) });

    expect(wantedOf(snapshot, 'claim-1').update?.meta.finalizers).toEqual(
      isReleased ? [] : undefined,
    );
  });

  it('keeps the finalizer while an instance that was just launched may not be listed yet', () => {
    const conditions = [aCondition('Launched', { changedAt: NOON - 59 * SECOND })];
    const claim = aNodeClaim({ meta: { deletedAt: NOON }, status: { conditions } });
    const snapshot = aSettledSnapshot({ nodes: [anInFlightNode(claim)], instances: [] });

    expect(wantedOf(snapshot, 'claim-1').update).toBeUndefined();
  });

  it('does not end an instance that another NodeClaim has', () => {
    const claim = aNodeClaim({ meta: { deletedAt: NOON }, status: { conditions: [] } });
    const other = aNodeClaim({ meta: { name: 'claim-2' } });
    const snapshot = aSettledSnapshot({
      nodes: [claim, other].map(anInFlightNode),
      instances: [anInstance()],
    });

    expect(wantedOf(snapshot, 'claim-1').kinds).toEqual(['update']);
  });

  it('asks for the end of an instance again only after five seconds', () => {
    const kinds = (secondsAgo: number) =>
      seen({
        claim: leavingClaim([
          DRAINED,
          ['VolumesDetached', {}],
          ['InstanceTerminating', { changedAt: NOON - secondsAgo * SECOND }],
        ]),
        node: leavingNode(),
      }).claim.kinds;

    expect(kinds(4)).toEqual([]);
    expect(kinds(5)).toEqual(['terminateInstance']);
  });

  it('waits for the launch of its group to be certain when no instance is known', () => {
    const annotations = { 'joinery.dev/launch-group': 'g/1' };
    const wanted = (deletedAt: number) => {
      const claim = aNewClaim({ meta: { annotations, deletedAt } });
      return wantedOf(
        aSettledSnapshot({ nodes: [anInFlightNode(claim)], instances: [] }),
        'claim-1',
      );
    };

    expect(wanted(NOON - 59 * SECOND).kinds).toEqual([]);
    expect(wanted(NOON - MINUTE).update?.meta).toEqual({ finalizers: [] });
  });
});

/** Why the pods of a node are asked to go. */
const drainOf = (state: Partial<Omit<StateNode, 'name'>>): readonly string[] => {
  const nodes = [aStateNode(state)];
  return advance(aSettledSnapshot({ nodes, instances: [anInstance()] })).actions.flatMap(
    (action) => (action.kind === 'evict' ? [action.because] : []),
  );
};

describe('a Node that is being deleted', () => {
  it('85: takes its NodeClaim with it', () => {
    const { claim } = seen({ node: leavingNode() });

    expect(claim.kinds).toContain('delete');
  });

  it('asks its pods to go and says how many it waits for', () => {
    const { node, pod, claim } = seen({
      claim: leavingClaim([]),
      node: leavingNode(),
      pods: [aRunningPod()],
    });

    expect(pod.kinds).toEqual(['evict']);
    expect(node.events).toEqual([
      'FailedDraining: Failed to drain node, 1 pods are waiting to be evicted',
    ]);
    expect(claim.condition('Drained')).toMatchObject({ status: 'Unknown', reason: 'Draining' });
  });

  it('155: stays while a PodDisruptionBudget keeps a pod there, and ends once that has gone', () => {
    const budget = aPodDisruptionBudget({ disruptionsAllowed: 0 });
    const since = (pods: readonly Pod[]) =>
      seen(
        { claim: leavingClaim([DRAINING(600)]), node: leavingNode(), pods },
        { podDisruptionBudgets: [budget] },
      );
    const kept = since([aRunningPod()]);

    expect([kept.claim.kinds, kept.node.kinds, kept.pod.kinds]).toEqual([[], [], ['evict']]);
    expect(kept.node.events.map((each) => each.split(':')[0])).toContain('FailedDraining');
    expect(since([]).claim.kinds).toEqual(['terminateInstance', 'updateStatus']);
  });

  it('101: asks a pod that nobody will make anew like any other', () => {
    const orphan = aRunningPod({ meta: { owners: [] } });

    expect(drainOf({ claim: leavingClaim([]), node: leavingNode(), pods: [orphan] })).toEqual([
      'Forceful Termination',
    ]);
  });

  it('157: tells pods why it goes: the reason of the disruption, if there was one', () => {
    const because = (conditions: Parameters<typeof aCondition>[]) =>
      drainOf({
        claim: leavingClaim(conditions),
        node: leavingNode(),
        pods: [aRunningPod()],
      });

    expect(because([])).toEqual(['Forceful Termination']);
    expect(because([['DisruptionReason', { reason: 'Drifted' }]])).toEqual(['Drifted']);
  });

  it('81: gives late pods five seconds even if it is empty', () => {
    const drained = (secondsAgo: number) =>
      seen({ claim: leavingClaim([DRAINING(secondsAgo)]), node: leavingNode() }).claim;

    expect(drained(4).kinds).toEqual([]);
    expect(drained(5).condition('Drained')).toMatchObject({ status: 'True' });
    expect(drained(5).kinds).toEqual(['terminateInstance', 'updateStatus']);
  });

  it('84: waits for volumes of pods that left', () => {
    const volumeAttachments = [
      { meta: aMeta('attachment-1'), nodeName: 'node-1', persistentVolumeName: 'pv-1' },
      { meta: aMeta('attachment-2'), nodeName: 'node-2', persistentVolumeName: 'pv-2' },
    ];
    const { claim, node } = seen(
      { claim: leavingClaim([DRAINED]), node: leavingNode() },
      { volumeAttachments },
    );

    expect(claim.condition('VolumesDetached')).toMatchObject({
      status: 'Unknown',
      reason: 'AwaitingVolumeDetachment',
    });
    expect(node.events).toEqual([
      'AwaitingVolumeDetachment: Awaiting deletion of bound volumeattachments (attachment-1)',
    ]);
  });

  it('84: waits for volumes no longer than its deadline', () => {
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-11-20T12:00:00Z' };
    const volumeAttachments = [
      { meta: aMeta('attachment-1'), nodeName: 'node-1', persistentVolumeName: 'pv-1' },
    ];
    const claim = leavingClaim([DRAINED], { meta: { annotations } });
    const wanted = seen({ claim, node: leavingNode() }, { volumeAttachments }).claim;

    expect(wanted.kinds).toEqual(['terminateInstance', 'updateStatus']);
    expect(wanted.condition('VolumesDetached')).toMatchObject({
      status: 'False',
      reason: 'TerminationGracePeriodElapsed',
    });
  });

  it('is let go when its instance is gone', () => {
    const { node } = seen(
      { claim: leavingClaim([DRAINED]), node: leavingNode() },
      { instances: [] },
    );

    expect(node.update?.meta).toEqual({ finalizers: [] });
  });

  it('is let go without a drain if it is not Ready and its instance is gone', () => {
    const ready = { status: 'Unknown' as const, changedAt: NOON };
    const { node, pod } = seen(
      { claim: leavingClaim([]), node: leavingNode({ ready }), pods: [aRunningPod()] },
      { instances: [] },
    );

    expect(node.update?.meta).toEqual({ finalizers: [] });
    expect(pod.kinds).toEqual([]);
  });

  it('85: is drained and let go if it lost its NodeClaim, its instance is not touched', () => {
    const snapshot = aSettledSnapshot({
      nodes: [anUnmanagedNode(leavingNode())],
      instances: [anInstance()],
    });

    expect(wantedOf(snapshot, 'node-1').update?.meta).toEqual({ finalizers: [] });
  });

  it('is let go without a drain if it lost its NodeClaim, too, and its instance is gone', () => {
    const ready = { status: 'Unknown' as const, changedAt: NOON };
    const node = { ...leavingNode({ ready }), meta: aMeta('node-1', leavingNode().meta) };
    const state = { ...anUnmanagedNode(node), pods: [aRunningPod()] };
    const snapshot = aSettledSnapshot({ nodes: [state], instances: [] });

    expect(wantedOf(snapshot, 'node-1').update?.meta).toEqual({ finalizers: [] });
    expect(wantedOf(snapshot, 'web-1').kinds).toEqual([]);
  });
});
