import type { ObjectMeta } from './object.ts';
import type { NodeSelectorTerm } from './pod.ts';

/** A PersistentVolumeClaim, reduced to what placement needs. */
export interface PersistentVolumeClaim {
  readonly meta: ObjectMeta & { readonly namespace: string };
  readonly volumeName?: string;
  /** Absent: the cluster's default; '': none. */
  readonly storageClassName?: string;
  readonly phase: 'Pending' | 'Bound' | 'Lost';
}

/** A PersistentVolume, reduced to where it can be attached and by whom. */
export interface PersistentVolume {
  readonly meta: ObjectMeta;
  readonly claim?: { readonly namespace: string; readonly name: string };
  /** Alternatives of spec.nodeAffinity.required. */
  readonly nodeAffinity: readonly NodeSelectorTerm[];
  readonly csiDriver?: string;
  readonly isLocal: boolean;
}

/** A StorageClass, reduced to binding mode and topology. */
export interface StorageClass {
  readonly meta: ObjectMeta;
  readonly provisioner: string;
  readonly bindingMode: 'Immediate' | 'WaitForFirstConsumer';
  readonly isDefault: boolean;
  /** Alternatives; within one, every key must take one of its values. */
  readonly allowedTopologies: readonly (readonly {
    readonly key: string;
    readonly values: readonly string[];
  }[])[];
}

/** How many volumes of each CSI driver a node can attach. Absent count: no limit. */
export interface CsiNode {
  readonly meta: ObjectMeta;
  readonly drivers: readonly { readonly name: string; readonly count?: number }[];
}

/** A volume that is attached to a node, or on its way there. */
export interface VolumeAttachment {
  readonly meta: ObjectMeta;
  readonly nodeName: string;
  readonly persistentVolumeName?: string;
}
