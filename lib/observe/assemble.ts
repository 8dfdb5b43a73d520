import { byName, byNamespacedName, chain, compareText } from '#lib/constraints/order.ts';
import type { DecodedObjects } from '#lib/kube/decode/decode.ts';
import type { BufferTarget } from '#lib/model/capacity-buffer.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { Instance } from '#lib/model/instance.ts';
import type { InstanceStatus } from '#lib/model/interruption.ts';
import type { FoundLaunchTemplate } from '#lib/model/launch.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import type { NodeClassFacts, NodeClassRemains } from '#lib/model/node-class-facts.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { LeftOut, Snapshot } from '#lib/model/snapshot.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { WorkloadSelector } from '#lib/model/workload.ts';
import { joinNodes } from './join-nodes.ts';
import type { Market } from './market.ts';

/** What a Snapshot holds besides the cluster's objects. */
export interface Facts {
  readonly takenAt: EpochMs;
  readonly settings: ClusterSettings;
  readonly catalog: Catalog;
  readonly soldOut: readonly SoldOut[];
  readonly leftOut: readonly LeftOut[];
  /** What the CapacityBuffers refer to; none where absent. */
  readonly bufferTargets?: readonly BufferTarget[];
  readonly nodeClassFacts: readonly NodeClassFacts[];
  /** Absent where none was looked up. */
  readonly nodeClassRemains?: readonly NodeClassRemains[];
  /** Absent: nobody needed to know. */
  readonly instances?: readonly Instance[];
  readonly instanceStatus?: InstanceStatus;
  readonly launchTemplates?: readonly FoundLaunchTemplate[];
  /** Absent: nobody needed to know how old it is. */
  readonly market?: Pick<Market, 'dates' | 'memory'>;
  /** Sorted; none where absent. */
  readonly shiftedZones?: readonly string[];
}

/**
 * One Snapshot of what was read, from a cluster or from files. Everything is sorted, so the order
 * in which things were read makes no difference. O(n log n).
 */
export function assemble(objects: DecodedObjects, facts: Facts): Snapshot {
  const { nodes, pods } = joinNodes(objects.nodes, objects.nodeClaims, objects.pods);
  return {
    takenAt: facts.takenAt,
    settings: facts.settings,
    nodePools: objects.nodePools.toSorted(byName),
    nodeClasses: objects.nodeClasses.toSorted(byName),
    nodes,
    pods,
    daemonSets: objects.daemonSets.toSorted(byNamespacedName),
    podDisruptionBudgets: objects.podDisruptionBudgets.toSorted(byNamespacedName),
    persistentVolumeClaims: objects.persistentVolumeClaims.toSorted(byNamespacedName),
    persistentVolumes: objects.persistentVolumes.toSorted(byName),
    storageClasses: objects.storageClasses.toSorted(byName),
    csiNodes: objects.csiNodes.toSorted(byName),
    volumeAttachments: objects.volumeAttachments.toSorted(byName),
    namespaces: objects.namespaces.toSorted(byName),
    workloadSelectors: objects.workloadSelectors.toSorted(chain(byNamespacedName, bySelectorKind)),
    priorityClasses: objects.priorityClasses.toSorted(byName),
    nodeOverlays: objects.nodeOverlays.toSorted(byName),
    capacityBuffers: objects.capacityBuffers.toSorted(byNamespacedName),
    bufferTargets: (facts.bufferTargets ?? []).toSorted(chain(byNamespacedName, byTargetKind)),
    catalog: facts.catalog,
    soldOut: facts.soldOut.toSorted(bySoldOut),
    ...(facts.instances !== undefined && { instances: facts.instances.toSorted(byId) }),
    ...(facts.instanceStatus && { instanceStatus: facts.instanceStatus }),
    ...(facts.launchTemplates !== undefined && {
      launchTemplates: facts.launchTemplates.toSorted(byTemplateName),
    }),
    ...(facts.market && { memory: facts.market.memory.toSorted(byTypeAndImages) }),
    ...(facts.market?.dates && { market: facts.market.dates }),
    ...(facts.shiftedZones?.length && { shiftedZones: facts.shiftedZones }),
    nodeClassFacts: facts.nodeClassFacts.toSorted(byNodeClass),
    ...(facts.nodeClassRemains !== undefined && {
      nodeClassRemains: facts.nodeClassRemains.toSorted(byNodeClass),
    }),
    leftOut: facts.leftOut.toSorted(byObject),
  };
}

const bySelectorKind = (a: WorkloadSelector, b: WorkloadSelector): number =>
  compareText(a.kind, b.kind);

const byTargetKind = (a: BufferTarget, b: BufferTarget): number => compareText(a.kind, b.kind);

const byNodeClass = (a: { nodeClass: string }, b: { nodeClass: string }): number =>
  compareText(a.nodeClass, b.nodeClass);

const byTypeAndImages = chain<MemoryRecord>(
  (a, b) => compareText(a.instanceType, b.instanceType),
  (a, b) => compareText(a.images, b.images),
);

const byTemplateName = (a: FoundLaunchTemplate, b: FoundLaunchTemplate): number =>
  compareText(a.name, b.name);

const byId = (a: Instance, b: Instance): number => compareText(a.id, b.id);

const bySoldOut = chain<SoldOut>(
  (a, b) => compareText(a.instanceType, b.instanceType),
  (a, b) => compareText(a.zone, b.zone),
  (a, b) => compareText(a.capacityType, b.capacityType),
  (a, b) => compareText(a.placementGroup ?? '', b.placementGroup ?? ''),
);

const byObject = chain<LeftOut>(
  (a, b) => compareText(a.object.kind, b.object.kind),
  (a, b) => compareText(a.object.namespace ?? '', b.object.namespace ?? ''),
  (a, b) => compareText(a.object.name, b.object.name),
  (a, b) => compareText(a.field, b.field),
);
