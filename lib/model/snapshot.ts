import type { BufferTarget, CapacityBuffer } from './capacity-buffer.ts';
import type { Catalog } from './catalog.ts';
import type { DaemonSet } from './daemon-set.ts';
import type { Instance } from './instance.ts';
import type { InstanceStatus } from './interruption.ts';
import type { FoundLaunchTemplate } from './launch.ts';
import type { MarketDates } from './market.ts';
import type { MemoryRecord } from './memory-record.ts';
import type { StateNode } from './node.ts';
import type { NodeClass } from './node-class.ts';
import type { NodeClassFacts, NodeClassRemains } from './node-class-facts.ts';
import type { NodeOverlay } from './node-overlay.ts';
import type { NodePool } from './node-pool.ts';
import type { ObjectRef } from './object.ts';
import type { Pod } from './pod.ts';
import type { PodDisruptionBudget } from './pod-disruption-budget.ts';
import type { ClusterSettings } from './settings.ts';
import type { SoldOut } from './sold-out.ts';
import type { EpochMs } from './time.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from './volume.ts';
import type { Namespace, PriorityClass, WorkloadSelector } from './workload.ts';

/** An object that could not be read: which, where in it, what stood there, what was expected. */
export interface LeftOut {
  readonly object: Omit<ObjectRef, 'uid' | 'resourceVersion'>;
  /** The field's path, e.g. spec.template.spec.taints[0].effect. */
  readonly field: string;
  readonly problem: string;
}

/**
 * Everything a decision may look at, read at one instant and frozen. Lists are sorted by
 * namespace and name; every bound pod stands under its node, every other pod in `pods`.
 */
export interface Snapshot {
  readonly takenAt: EpochMs;
  readonly settings: ClusterSettings;
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly NodeClass[];
  readonly nodes: readonly StateNode[];
  /** Pods without a node, whatever their state; eligibility is the solver's to judge. */
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
  readonly volumeAttachments: readonly VolumeAttachment[];
  readonly namespaces: readonly Namespace[];
  readonly workloadSelectors: readonly WorkloadSelector[];
  readonly priorityClasses: readonly PriorityClass[];
  /** Read only where the gate NodeOverlay is open. */
  readonly nodeOverlays: readonly NodeOverlay[];
  /** Read only where the gate CapacityBuffer is open, and so is what they refer to. */
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly bufferTargets: readonly BufferTarget[];
  readonly catalog: Catalog;
  readonly soldOut: readonly SoldOut[];
  /**
   * This cluster's EC2 instances, by id. Absent: nobody needed to know, so nothing may be
   * concluded from an instance that is not listed.
   */
  readonly instances?: readonly Instance[];
  /** What EC2's own checks say of them; absent where it was not asked. */
  readonly instanceStatus?: InstanceStatus;
  /** This cluster's launch templates, sorted by name; absent where nobody needed to know. */
  readonly launchTemplates?: readonly FoundLaunchTemplate[];
  /** What nodes told of their memory, by type and images; absent: nobody needed to know. */
  readonly memory?: readonly MemoryRecord[];
  /** When each part of what EC2 sells was last asked for; absent: it does not matter here. */
  readonly market?: MarketDates;
  /** Ids of the zones that traffic is shifted away from; none where absent. */
  readonly shiftedZones?: readonly string[];
  /** Of the NodeClasses that were looked up this time, sorted by name. */
  readonly nodeClassFacts: readonly NodeClassFacts[];
  /** Of the NodeClasses that are going, sorted by name; absent where none was looked up. */
  readonly nodeClassRemains?: readonly NodeClassRemains[];
  readonly leftOut: readonly LeftOut[];
}
