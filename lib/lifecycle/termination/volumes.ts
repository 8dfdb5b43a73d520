import { isWaitingEviction } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * The volume attachments that an emptied node must still lose, by name. Volumes of pods that stay
 * on the node (they tolerate its end, or will never go) are not waited for.
 *
 * Source: karpenter v1.14, node/termination/controller.go, filterVolumeAttachments.
 */
export function attachmentsToWaitFor(
  { node, pods }: StateNode,
  snapshot: Snapshot,
): readonly string[] {
  const staying = pods.filter((pod) => !isWaitingEviction(pod, snapshot.takenAt));
  const kept = new Set(staying.flatMap((pod) => volumesOf(pod, snapshot)));
  return snapshot.volumeAttachments
    .filter(
      ({ nodeName, persistentVolumeName }) =>
        nodeName === node?.meta.name &&
        persistentVolumeName !== undefined &&
        !kept.has(persistentVolumeName),
    )
    .map(({ meta }) => meta.name)
    .sort(compareText);
}

function volumesOf(pod: Pod, { persistentVolumeClaims }: Snapshot): readonly string[] {
  const names = new Set(pod.volumes.map(({ claimName }) => claimName));
  return persistentVolumeClaims
    .filter(({ meta }) => meta.namespace === pod.meta.namespace && names.has(meta.name))
    .flatMap(({ volumeName }) => volumeName ?? []);
}
