import { compareText } from '#lib/constraints/order.ts';
import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Pod, PodVolume } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#lib/model/volume.ts';

/** The storage objects of a Snapshot, by name. */
export interface VolumeObjects {
  /** By namespace/name. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  /** The class of claims that name none; absent where the cluster has no default. */
  readonly defaultClass?: StorageClass;
}

/** A volume that is there already, or the class that one will be made of. */
export type Backing =
  | { readonly persistentVolume: PersistentVolume }
  | { readonly storageClass: StorageClass };

/** The storage objects of `snapshot`, ready to be looked up. O(objects). */
export function volumeObjectsOf(snapshot: Snapshot): VolumeObjects {
  const defaultClass = snapshot.storageClasses.filter(({ isDefault }) => isDefault).sort(newest)[0];
  return {
    claims: new Map(
      snapshot.persistentVolumeClaims.map((claim) => [
        `${claim.meta.namespace}/${claim.meta.name}`,
        claim,
      ]),
    ),
    volumes: new Map(snapshot.persistentVolumes.map((volume) => [volume.meta.name, volume])),
    classes: new Map(snapshot.storageClasses.map((each) => [each.meta.name, each])),
    ...(defaultClass && { defaultClass }),
  };
}

/** Source: kubernetes v1.36, volume/util/storageclass.go, GetDefaultClass. */
const newest = (a: StorageClass, b: StorageClass): number =>
  b.meta.createdAt - a.meta.createdAt || compareText(a.meta.name, b.meta.name);

/** The name of the claim behind a pod's volume, with its namespace. */
export const claimKeyOf = ({ meta }: Pod, { claimName }: PodVolume): string =>
  `${meta.namespace}/${claimName}`;

/**
 * The claim behind a pod's volume. Undefined stands for the claim that is about to be made for an
 * ephemeral volume: that of a pod which has to move goes with it, and the next one starts afresh.
 *
 * Source: karpenter v1.14, utils/volume/volume.go, whose words for a missing claim these are; it
 * waits a pass longer for the claim of an ephemeral volume.
 */
export function claimOf(
  pod: Pod,
  volume: PodVolume,
  { claims }: VolumeObjects,
): PersistentVolumeClaim | undefined | Rejection {
  if (volume.ephemeral && pod.nodeName !== undefined) return undefined;
  const claim = claims.get(claimKeyOf(pod, volume));
  if (claim || volume.ephemeral) return claim;
  const { claimName } = volume;
  return reject(
    'volumes',
    `getting persistent volume claim "${claimName}", PersistentVolumeClaim "${claimName}" not found`,
  );
}

/** The name of the class that a claim is to be served by; '' where it has none. */
export function classNameOf(
  volume: PodVolume,
  claim: PersistentVolumeClaim | undefined,
  { defaultClass }: VolumeObjects,
): string {
  const named = claim ? claim.storageClassName : volume.ephemeral?.storageClassName;
  return named ?? defaultClass?.meta.name ?? '';
}
