import { describe, expect, it } from 'vitest';
import { attachmentsToWaitFor } from '#lib/lifecycle/termination/volumes.ts';
import type { Pod } from '#lib/model/pod.ts';
import { tolerating } from '#test/build/constraints.ts';
import { aStateNode } from '#test/build/nodes.ts';
import { aMeta, aNamespacedMeta } from '#test/build/objects.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

const volumes = [{ volume: 'data', claimName: 'data' }];
const snapshot = aSnapshot({
  persistentVolumeClaims: [
    { meta: aNamespacedMeta('data'), volumeName: 'pv-1', phase: 'Bound' },
    { meta: aNamespacedMeta('data', { namespace: 'other' }), volumeName: 'pv-2', phase: 'Bound' },
  ],
  volumeAttachments: [
    { meta: aMeta('of-pv-2'), nodeName: 'node-1', persistentVolumeName: 'pv-2' },
    { meta: aMeta('of-pv-1'), nodeName: 'node-1', persistentVolumeName: 'pv-1' },
    { meta: aMeta('elsewhere'), nodeName: 'node-2', persistentVolumeName: 'pv-3' },
    { meta: aMeta('inline'), nodeName: 'node-1' },
  ],
});
const waited = (pods: readonly Pod[]) => attachmentsToWaitFor(aStateNode({ pods }), snapshot);

describe('attachmentsToWaitFor', () => {
  it('names those of persistent volumes on this node, sorted', () => {
    expect(waited([])).toEqual(['of-pv-1', 'of-pv-2']);
  });

  it('84: leaves out the volumes of a pod that stays to the end', () => {
    const stays = aRunningPod({ volumes, tolerations: [tolerating('karpenter.sh/disrupted')] });

    expect(waited([stays])).toEqual(['of-pv-2']);
  });

  it('waits for the volumes of a pod that has to go', () => {
    expect(waited([aRunningPod({ volumes })])).toEqual(['of-pv-1', 'of-pv-2']);
  });
});
