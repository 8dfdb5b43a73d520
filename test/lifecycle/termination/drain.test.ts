import { describe, expect, it } from 'vitest';
import { type DrainOrder, drain } from '#lib/lifecycle/termination/drain.ts';
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

  it('80: begins the next tier only when the one before has gone, not when it was asked to', () => {
    const going = aRunningPod({ meta: { name: 'going', deletedAt: NOON + 20 * SECOND } });

    expect(drained([going, critical])).toMatchObject({ actions: [], waiting: 2 });
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

    expect(drained([guarded])).toMatchObject({ actions: [], waiting: 1 });
  });

  it('77: forces a pod when its grace would outlast the node, asking nobody', () => {
    const guarded = aRunningPod({
      meta: { name: 'guarded', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      graceSeconds: 300,
    });

    expect(drained([guarded], { deadline: NOON + 200_500 }).actions).toMatchObject([
      { kind: 'forceDelete', pod: { name: 'guarded' }, graceSeconds: 200 },
    ]);
  });

  it('77: leaves a pod its time while the deadline is further off than its grace', () => {
    expect(evicted([plain], { deadline: NOON + 31 * SECOND })).toEqual(['evict plain']);
  });

  it('78: forces pods of any tier, whoever else is still waiting', () => {
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

  it('153: gives a last second when the deadline has passed', () => {
    expect(drained([plain], { deadline: NOON - MINUTE }).actions).toMatchObject([
      { kind: 'forceDelete', graceSeconds: 1 },
    ]);
  });

  describe('looks again', () => {
    const nodeGoingFor = (ms: number) => aNode({ meta: { deletedAt: NOON - ms } });
    const askedToGo = (ms: number, graceSeconds: number) =>
      aRunningPod({ meta: { deletedAt: NOON - ms + graceSeconds * SECOND }, graceSeconds });

    it.each([
      ['after two seconds at first', 4 * SECOND, 2 * SECOND],
      ['after a fifth of the time in which no pod could go', 100 * SECOND, 20 * SECOND],
      ['at a heartbeat in the end', 10 * MINUTE, 2 * MINUTE],
    ])('%s', (_when, goingFor, lookAgainInMs) => {
      expect(drained([plain], { node: nodeGoingFor(goingFor) })).toMatchObject({ lookAgainInMs });
    });

    it.each([
      ['soon after a pod has begun to go', 4 * SECOND, 300, 2 * SECOND],
      ['less often while its grace lasts', 200 * SECOND, 300, 40 * SECOND],
      ['when its grace ends', 290 * SECOND, 300, 10 * SECOND],
      ['soon when its grace has ended', 303 * SECOND, 300, 2 * SECOND],
    ])('%s', (_when, since, graceSeconds, lookAgainInMs) => {
      const node = nodeGoingFor(10 * MINUTE);

      expect(drained([askedToGo(since, graceSeconds)], { node })).toMatchObject({ lookAgainInMs });
    });

    it('when the deadline leaves a pod no more than its grace', () => {
      const pod = aRunningPod({ graceSeconds: 30 });
      const deadline = NOON + 40 * SECOND;

      expect(drained([pod], { node: nodeGoingFor(10 * MINUTE), deadline })).toMatchObject({
        lookAgainInMs: 10 * SECOND + 1,
      });
    });

    it('not at all where no pod is waited for', () => {
      expect(drained([])).toEqual({ actions: [], waiting: 0 });
    });
  });
});
