import { isRejection } from '#lib/constraints/rejection.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import type { PersistentVolumeClaim } from '#lib/model/volume.ts';
import { claimOf, classNameOf, type VolumeObjects } from './volume-lookup.ts';

/** On a claim whose volume is settled; without it kube-scheduler goes on waiting. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/**
 * Why kube-scheduler would not let a pod onto any node for the sake of its volumes, in Karpenter's
 * words; of the first volume that has something wrong with it. Undefined where nothing is.
 *
 * Source: karpenter v1.14, provisioning/scheduling/volumetopology.go,
 * ValidatePersistentVolumeClaims. A claim without a class is judged by the cluster's default, which
 * Kubernetes is about to write into it.
 */
export function volumeProblem(pod: Pod, objects: VolumeObjects): string | undefined {
  for (const volume of pod.volumes) {
    const claim = claimOf(pod, volume, objects);
    if (isRejection(claim)) return claim.because;
    const problem = claimProblem({ pod, volume, claim, objects });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A volume of a pod, and its claim unless that is still to be made. */
interface Claimed {
  readonly pod: Pod;
  readonly volume: PodVolume;
  readonly claim: PersistentVolumeClaim | undefined;
  readonly objects: VolumeObjects;
}

function claimProblem(claimed: Claimed): string | undefined {
  const { claim } = claimed;
  const { claimKey } = namesOf(claimed);
  if (claim?.meta.deletedAt !== undefined) {
    return `persistentvolumeclaim is being deleted (PersistentVolumeClaim=${claimKey})`;
  }
  if (claim?.phase === 'Lost') {
    const lost = `PersistentVolume=${claim.volumeName ?? ''}, PersistentVolumeClaim=${claimKey}`;
    return `persistentvolumeclaim bound to non-existent persistentvolume (${lost})`;
  }
  const volumeName = claim?.volumeName;
  return claim && volumeName !== undefined
    ? boundProblem(claimed, claim, volumeName)
    : unboundProblem(claimed);
}

function boundProblem(
  claimed: Claimed,
  { meta }: PersistentVolumeClaim,
  volumeName: string,
): string | undefined {
  const { claimKey, className } = namesOf(claimed);
  const persistentVolume = claimed.objects.volumes.get(volumeName);
  const where = `(PersistentVolume=${volumeName}, PersistentVolumeClaim=${claimKey}, StorageClass=${className})`;
  if (!persistentVolume) {
    return `failed to validate pvc, PersistentVolume "${volumeName}" not found ${where}`;
  }
  if (persistentVolume.meta.deletedAt !== undefined) {
    return `failed to validate pvc, persistentvolume is being deleted ${where}`;
  }
  if (meta.annotations[BIND_COMPLETED] !== undefined) return undefined;
  return `pvc is considered unbound because it does not contain annotation (PersistentVolume=${volumeName}, PersistentVolumeClaim=${meta.name}, annotation=${BIND_COMPLETED})`;
}

function unboundProblem(claimed: Claimed): string | undefined {
  const { claimKey, className } = namesOf(claimed);
  const where = `(PersistentVolumeClaim=${claimKey}, StorageClass=${className})`;
  if (className === '') return `unbound pvc must define a storage class ${where}`;
  const storageClass = claimed.objects.classes.get(className);
  if (!storageClass) {
    return `failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io "${className}" not found ${where}`;
  }
  if (storageClass.bindingMode === 'WaitForFirstConsumer') return undefined;
  return `failed to validate pvc, pvc with immediate volume binding mode must be bound ${where}`;
}

const namesOf = ({ pod, volume, claim, objects }: Claimed) => ({
  claimKey: `${pod.meta.namespace}/${volume.claimName}`,
  className: classNameOf(volume, claim, objects),
});
