import { describe, expect, it } from 'vitest';
import { type DrainOrder, drain } from '#lib/lifecycle/drain.ts';
import type { Pod } from '#lib/model/pod.ts';
import { tolerating } from '#test/build/constraints.ts';
import { aNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, ownedBy, SECOND } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';

const daemon = [ownedBy('DaemonSet')];
const plain = aRunningPod({ meta: { name: 'plain' } });
const daemonPod = aRunningPod({ meta: { name: 'daemon', owners: daemon } });
const critical = aRunningPod({
  meta: { name: 'critical' },
  priorityClassName: 'system-cluster-critical',
});
const criticalDaemon = aRunningPod({
  meta: { name: 'critical-daemon', owners: daemon },
  priorityClassName: 'system-node-critical',
});

const drained = (pods: readonly Pod[], difference: Partial<DrainOrder> = {}) =>
  drain({ node: aNode(), pods, because: 'Empty', now: NOON, ...difference });
const evicted = (pods: readonly Pod[], difference: Partial<DrainOrder> = {}) =>
  drained(pods, difference).actions.map((action) =>
    'pod' in action ? `${action.kind} ${action.pod.name}` : action.kind,
  );

describe('drain', () => {
  it.each([
    ['plain pods first', [critical, criticalDaemon, daemonPod, plain], 'evict plain'],
    ['then those of DaemonSets', [critical, criticalDaemon, daemonPod], 'evict daemon'],
    ['then critical ones', [criticalDaemon, critical], 'evict critical'],
    ['then critical ones of DaemonSets', [criticalDaemon], 'evict critical-daemon'],
  ])('asks %s', (_who, pods, first) => {
    expect(evicted(pods)).toEqual([first]);
  });

  it('begins the next tier only when the one before has gone, not when it was asked to', () => {
    const going = aRunningPod({ meta: { name: 'going', deletedAt: NOON + 20 * SECOND } });

    expect(drained([going, critical])).toEqual({ actions: [], waiting: 2 });
  });

  it.each([
    ['finished', aRunningPod({ phase: 'Succeeded' })],
    ['run by the kubelet alone', aRunningPod({ meta: { owners: [ownedBy('Node')] } })],
    [
      'tolerating the end of the node',
      aRunningPod({ tolerations: [tolerating('karpenter.sh/disrupted')] }),
    ],
    ['a minute past its end', aRunningPod({ meta: { deletedAt: NOON - MINUTE - 1 } })],
  ])('neither asks nor waits for a pod that is %s', (_what, pod) => {
    expect(drained([pod])).toEqual({ actions: [], waiting: 0 });
  });

  it('waits for a pod that must not be disturbed, and does not ask it', () => {
    const guarded = aRunningPod({
      meta: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    });

    expect(drained([guarded])).toEqual({ actions: [], waiting: 1 });
  });

  it('forces a pod when its grace would outlast the node, asking nobody', () => {
    const guarded = aRunningPod({
      meta: { name: 'guarded', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      graceSeconds: 300,
    });

    expect(drained([guarded], { deadline: NOON + 200_500 }).actions).toMatchObject([
      { kind: 'forceDelete', pod: { name: 'guarded' }, graceSeconds: 200 },
    ]);
  });

  it('leaves a pod its time while the deadline is further off than its grace', () => {
    expect(evicted([plain], { deadline: NOON + 31 * SECOND })).toEqual(['evict plain']);
  });

  it('forces pods of any tier, whoever else is still waiting', () => {
    const slow = aRunningPod({ ...critical, graceSeconds: 600 });

    expect(evicted([plain, slow], { deadline: NOON + 300 * SECOND })).toEqual([
      'forceDelete critical',
      'evict plain',
    ]);
  });

  it('shortens the grace of a pod that was given more than there is', () => {
    const going = aRunningPod({ meta: { name: 'going', deletedAt: NOON + 90 * SECOND } });

    expect(drained([going], { deadline: NOON + 30 * SECOND }).actions).toMatchObject([
      { kind: 'forceDelete', graceSeconds: 30 },
    ]);
  });

  it('gives a last second when the deadline has passed', () => {
    expect(drained([plain], { deadline: NOON - MINUTE }).actions).toMatchObject([
      { kind: 'forceDelete', graceSeconds: 1 },
    ]);
  });
});
