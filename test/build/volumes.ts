import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '#lib/model/volume.ts';
import { spec } from './constraints.ts';
import { aMeta, aNamespacedMeta, type Difference } from './objects.ts';

const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes' };

/** The claim `data` for a volume of the class gp3 that is still to be made. */
export function aVolumeClaim(
  difference: Difference<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  const { meta, ...rest } = difference;
  return {
    meta: aNamespacedMeta('data', meta),
    storageClassName: 'gp3',
    phase: 'Pending',
    ...rest,
  };
}

/** The claim `data`, bound to the volume `pv-data`. */
export const aBoundClaim = (
  difference: Difference<PersistentVolumeClaim> = {},
): PersistentVolumeClaim =>
  aVolumeClaim({
    volumeName: `pv-${difference.meta?.name ?? 'data'}`,
    phase: 'Bound',
    ...difference,
    meta: { annotations: BOUND, ...difference.meta },
  });

/** The EBS volume `pv-data`, which can be anywhere: `inZones` says where it is. */
export function aVolume(difference: Difference<PersistentVolume> = {}): PersistentVolume {
  const { meta, ...rest } = difference;
  return {
    meta: aMeta('pv-data', meta),
    nodeAffinity: [],
    csiDriver: 'ebs.csi.aws.com',
    isLocal: false,
    ...rest,
  };
}

/** One alternative of where a volume can be, as `spec` reads its lines. */
export const aTerm = (...lines: string[]) => ({
  matchExpressions: lines.map((line) => spec(line)),
  hasMatchFields: false,
});

/** The node affinity of a volume that can be in any of these zones, one alternative each. */
export const inZones = (...zones: string[]) =>
  zones.map((zone) => aTerm(`topology.kubernetes.io/zone In ${zone}`));

/** The class gp3 of the EBS driver, which waits for the first pod and is not the default. */
export function aStorageClass(difference: Difference<StorageClass> = {}): StorageClass {
  const { meta, ...rest } = difference;
  return {
    meta: aMeta('gp3', meta),
    provisioner: 'ebs.csi.aws.com',
    bindingMode: 'WaitForFirstConsumer',
    isDefault: false,
    allowedTopologies: [],
    ...rest,
  };
}

/** How many EBS volumes the node `name` can attach. */
export const aCsiNode = (name: string, count: number): CsiNode => ({
  meta: aMeta(name),
  drivers: [{ name: 'ebs.csi.aws.com', count }],
});
