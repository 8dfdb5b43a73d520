import { describe, expect, it } from 'vitest';
import { protectionEvents } from '#lib/decide/protection-events.ts';
import type { Pod } from '#lib/model/pod.ts';
import { aNode, anUnmanagedNode, aStateNode } from '#test/build/nodes.ts';
import { MINUTE, NOON, SECOND } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const told = (pod: Pod, nodes = [aStateNode({ pods: [pod] })]) =>
  protectionEvents(aSnapshot({ nodes })).map((action) =>
    action.kind === 'recordEvent' ? `${action.reason}: ${action.message}` : action.kind,
  );
const guarded = (value: string, startedAgo: number): Pod =>
  aRunningPod({
    meta: { annotations: { 'karpenter.sh/do-not-disrupt': value } },
    startedAt: NOON - startedAgo,
  });

describe('protectionEvents', () => {
  it.each([
    ['yes', 'Invalid karpenter.sh/do-not-disrupt annotation: "yes" is neither'],
    ['-5m', 'Invalid karpenter.sh/do-not-disrupt annotation: "-5m" is neither'],
  ])('say that %j means nothing', (value, message) => {
    expect(told(guarded(value, MINUTE))[0]).toContain(`InvalidDoNotDisruptAnnotation: ${message}`);
  });

  it('say until when a pod is protected when that begins, and when it ends, and not in between', () => {
    expect(told(guarded('30m', 30 * SECOND))).toEqual([
      'DoNotDisruptUntil: The karpenter.sh/do-not-disrupt grace period will elapse at 2026-11-20T12:29:30Z',
    ]);
    expect(told(guarded('30m', 10 * MINUTE))).toEqual([]);
    expect(told(guarded('30m', 31 * MINUTE))[0]).toContain('DoNotDisruptGracePeriodElapsed: ');
    expect(told(guarded('30m', 40 * MINUTE))).toEqual([]);
  });

  it('say nothing of pods that are protected for ever, or not on a node of ours', () => {
    expect(told(guarded('true', 0))).toEqual([]);
    expect(told(guarded('yes', 0), [anUnmanagedNode(aNode(), [guarded('yes', 0)])])).toEqual([]);
  });
});
