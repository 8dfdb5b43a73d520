import { isRejection, type Rejection } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { volumeObjectsOf } from './volume-lookup.ts';
import {
  contradictedByVolumes,
  NO_VOLUME_NEED,
  type VolumeNeed,
  volumeNeedOf,
} from './volume-needs.ts';
import { NOTHING_LIMITED, type VolumeUsage, volumeUsageOf } from './volume-usage.ts';

/** What the volumes of the pods of one solve ask for, and what nodes may have attached. */
export interface Volumes extends VolumeUsage {
  /** Why a pod's volumes let it go nowhere, if they do. */
  readonly rejectionOf: (pod: Pod) => Rejection | undefined;
  readonly needOf: (pod: Pod) => VolumeNeed;
}

/** The volumes of `pods`, looked up once. O(volumes of all pods) where any of `pods` has one. */
export function volumesOf(pods: readonly Pod[], snapshot: Snapshot): Volumes {
  const withVolumes = pods.filter(({ volumes }) => volumes.length > 0);
  if (withVolumes.length === 0) return NO_VOLUMES;
  const objects = volumeObjectsOf(snapshot);
  const needs = new Map(
    withVolumes.map((pod) => {
      const need = volumeNeedOf(pod, objects);
      return [pod, isRejection(need) ? need : (contradictedByVolumes(pod, need) ?? need)];
    }),
  );
  return {
    ...volumeUsageOf(snapshot, pods, objects),
    rejectionOf: (pod) => {
      const need = needs.get(pod);
      return isRejection(need) ? need : undefined;
    },
    needOf: (pod) => {
      const need = needs.get(pod);
      return need === undefined || isRejection(need) ? NO_VOLUME_NEED : need;
    },
  };
}

/** For pods of which none has a volume. */
export const NO_VOLUMES: Volumes = {
  ...NOTHING_LIMITED,
  rejectionOf: () => undefined,
  needOf: () => NO_VOLUME_NEED,
};
