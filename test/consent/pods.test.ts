import { describe, expect, it } from 'vitest';
import { isActive, isCritical, isDaemon, isMirror } from '#lib/consent/pod-state.ts';
import {
  isDrainable,
  isEvictable,
  isProvisionable,
  isReschedulable,
  isReschedulableNow,
  isStuckTerminating,
  isWaitingEviction,
} from '#lib/consent/pods.ts';
import type { Toleration } from '#lib/constraints/taints.ts';
import type { Pod } from '#lib/model/pod.ts';
import { MINUTE, NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { aPod, aPodDisruptionBudget, aRunningPod } from '#test/build/pods.ts';

const of = (kind: Parameters<typeof ownedBy>[0]) =>
  aRunningPod({ meta: { owners: [ownedBy(kind)] } });
const finished = aRunningPod({ phase: 'Succeeded' });
const failed = aRunningPod({ phase: 'Failed' });
const leaving = (at = NOON): Pod => aRunningPod({ meta: { deletedAt: at } });
const leavingStateful = aRunningPod({
  meta: { deletedAt: NOON, owners: [ownedBy('StatefulSet')] },
});
const guarded = aRunningPod({ meta: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
const staying = (toleration: Toleration) => aRunningPod({ tolerations: [toleration] });

describe('what a pod is', () => {
  it('is active until it has finished or been asked to go', () => {
    expect([aPod(), aRunningPod(), finished, failed, leaving()].map(isActive)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is told by its owner’s kind and group', () => {
    const impostor = aRunningPod({
      meta: { owners: [{ ...ownedBy('DaemonSet'), apiVersion: 'example.com/v1' }] },
    });

    expect([of('DaemonSet'), of('ReplicaSet'), impostor].map(isDaemon)).toEqual([
      true,
      false,
      false,
    ]);
    expect([of('Node'), of('ReplicaSet')].map(isMirror)).toEqual([true, false]);
  });

  it('is critical by the name of its class, whatever the number', () => {
    expect(isCritical(aPod({ priorityClassName: 'system-node-critical' }))).toBe(true);
    expect(isCritical(aPod({ priorityClassName: 'mine', priority: 2_000_001_000 }))).toBe(false);
  });
});

describe('isProvisionable', () => {
  it.each<[string, Pod, boolean]>([
    ['that the scheduler found unschedulable', aPod(), true],
    [
      'whose condition’s status says otherwise',
      aPod({ scheduled: { status: 'True', reason: 'Unschedulable' } }),
      true,
    ],
    ['that is gated', aPod({ scheduled: { status: 'False', reason: 'SchedulingGated' } }), false],
    [
      'that another scheduler refused',
      aPod({ scheduled: { status: 'False', reason: 'NoMatch' } }),
      false,
    ],
    [
      'that is bound',
      aPod({ nodeName: 'node-1', scheduled: { status: 'False', reason: 'Unschedulable' } }),
      false,
    ],
    ['that is about to preempt others', aPod({ nominatedNodeName: 'node-1' }), false],
    ['of a DaemonSet', aPod({ meta: { owners: [ownedBy('DaemonSet')] } }), false],
    ['of a kubelet', aPod({ meta: { owners: [ownedBy('Node')] } }), false],
    ['of another scheduler', aPod({ schedulerName: 'mine' }), true],
    ['that is going away', aPod({ meta: { deletedAt: NOON } }), true],
  ])('judges a pod %s', (_title, pod, expected) => {
    expect(isProvisionable(pod)).toBe(expected);
  });

  it('does not take up a pod that the scheduler has never seen', () => {
    const { scheduled: _, ...unseen } = aPod();

    expect(isProvisionable(unseen)).toBe(false);
  });

  it('disregards a nomination to a node that is no more, where it is told which are', () => {
    const nominated = aPod({ nominatedNodeName: 'node-1' });

    expect(isProvisionable(nominated, new Set(['node-1']))).toBe(false);
    expect(isProvisionable(nominated, new Set(['node-2']))).toBe(true);
  });
});

describe('isReschedulable', () => {
  it.each<[string, Pod, boolean]>([
    ['a running pod', aRunningPod(), true],
    ['a finished pod', finished, false],
    ['a pod that is going', leaving(), false],
    ['a StatefulSet’s pod that is going', leavingStateful, true],
    ['a DaemonSet’s pod', of('DaemonSet'), false],
    ['a mirror pod', of('Node'), false],
    ['a guarded pod', guarded, true],
  ])('says whether %s needs another node', (_title, pod, expected) => {
    expect(isReschedulable(pod)).toBe(expected);
  });
});

describe('isEvictable and isDrainable', () => {
  it.each<[string, Pod, boolean, boolean]>([
    ['a running pod', aRunningPod(), true, true],
    ['a DaemonSet’s pod', of('DaemonSet'), true, true],
    ['a guarded pod', guarded, false, true],
    ['a finished pod', finished, false, true],
    ['a pod that is going', leaving(), false, true],
    ['a mirror pod', of('Node'), false, false],
    ['one that tolerates everything', staying({ operator: 'Exists' }), false, false],
    [
      'one that tolerates the taint',
      staying({ key: 'karpenter.sh/disrupted', operator: 'Exists', effect: 'NoSchedule' }),
      false,
      false,
    ],
    [
      'one that equals the taint',
      staying({ key: 'karpenter.sh/disrupted', operator: 'Equal', value: '' }),
      false,
      false,
    ],
    [
      'one that tolerates another effect',
      staying({ key: 'karpenter.sh/disrupted', operator: 'Exists', effect: 'NoExecute' }),
      true,
      true,
    ],
    [
      'one that tolerates being cordoned',
      staying({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }),
      true,
      true,
    ],
  ])('judge %s', (_title, pod, evictable, drainable) => {
    expect(isEvictable(pod, NOON)).toBe(evictable);
    expect(isDrainable(pod, NOON)).toBe(drainable);
  });
});

describe('isStuckTerminating', () => {
  it('gives up on a pod a minute after it was to be gone', () => {
    expect(isStuckTerminating(leaving(NOON - MINUTE), NOON)).toBe(false);
    expect(isStuckTerminating(leaving(NOON - MINUTE - SECOND), NOON)).toBe(true);
    expect(isStuckTerminating(aRunningPod(), NOON)).toBe(false);
    expect(isDrainable(leaving(NOON - 2 * MINUTE), NOON)).toBe(false);
  });
});

describe('isWaitingEviction', () => {
  it('waits for pods that go, not for those that have finished or stay', () => {
    expect(isWaitingEviction(leaving(), NOON)).toBe(true);
    expect(isWaitingEviction(finished, NOON)).toBe(false);
    expect(isWaitingEviction(of('Node'), NOON)).toBe(false);
  });
});

describe('isReschedulableNow', () => {
  const never = aPodDisruptionBudget({ maxUnavailable: '0', disruptionsAllowed: 0 });
  const exhausted = aPodDisruptionBudget({ maxUnavailable: '1', disruptionsAllowed: 0 });

  it.each<[string, Pod, (typeof never)[], boolean]>([
    ['nothing holds', aRunningPod(), [], true],
    ['is guarded', guarded, [], false],
    ['a budget never lets go', aRunningPod(), [never], false],
    ['a budget has let others go', aRunningPod(), [exhausted], true],
    [
      'two budgets claim',
      aRunningPod(),
      [exhausted, aPodDisruptionBudget({ meta: { name: 'second' } })],
      false,
    ],
    ['a budget would hold, were it evictable', leavingStateful, [never], true],
  ])('judges a pod that %s', (_title, pod, budgets, expected) => {
    expect(isReschedulableNow(pod, budgets, NOON)).toBe(expected);
  });
});
