import type { DaemonSet } from '#lib/model/daemon-set.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '#lib/model/volume.ts';
import type { Namespace, PriorityClass, WorkloadSelector } from '#lib/model/workload.ts';
import { decodeNode } from './decode-node.ts';
import { decodeNodeClaim } from './decode-node-claim.ts';
import { decodeNodeClass } from './decode-node-class.ts';
import { decodeNodePool } from './decode-node-pool.ts';
import { decodePod } from './decode-pod.ts';
import {
  decodeCsiNode,
  decodePersistentVolume,
  decodePersistentVolumeClaim,
  decodeStorageClass,
  decodeVolumeAttachment,
} from './decode-storage.ts';
import {
  decodeDaemonSet,
  decodeMapSelector,
  decodeNamespace,
  decodeObjectSelector,
  decodePodDisruptionBudget,
  decodePriorityClass,
} from './decode-workload.ts';
import { DecodeError } from './field.ts';
import { groupOf, isKind, KINDS, type Kind } from './kinds.ts';

/** Everything that was read of a cluster's objects, by kind, in the order in which it was read. */
export interface DecodedObjects {
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly NodeClass[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
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
}

/** The objects of one kind, decoded: those that could be, and what kept the others out. */
export interface DecodedList<Decoded> {
  readonly decoded: readonly Decoded[];
  readonly leftOut: readonly LeftOut[];
}

type Decoded = DecodedObjects[keyof DecodedObjects][number];
type Entry = readonly [into: keyof DecodedObjects, decode: (value: unknown) => Decoded];

const ENTRIES = {
  NodePool: ['nodePools', decodeNodePool],
  EC2NodeClass: ['nodeClasses', decodeNodeClass],
  NodeClaim: ['nodeClaims', decodeNodeClaim],
  Node: ['nodes', decodeNode],
  Pod: ['pods', decodePod],
  DaemonSet: ['daemonSets', decodeDaemonSet],
  PodDisruptionBudget: ['podDisruptionBudgets', decodePodDisruptionBudget],
  PersistentVolumeClaim: ['persistentVolumeClaims', decodePersistentVolumeClaim],
  PersistentVolume: ['persistentVolumes', decodePersistentVolume],
  StorageClass: ['storageClasses', decodeStorageClass],
  CSINode: ['csiNodes', decodeCsiNode],
  VolumeAttachment: ['volumeAttachments', decodeVolumeAttachment],
  Namespace: ['namespaces', decodeNamespace],
  Service: ['workloadSelectors', decodeMapSelector('Service')],
  ReplicationController: ['workloadSelectors', decodeMapSelector('ReplicationController')],
  ReplicaSet: ['workloadSelectors', decodeObjectSelector('ReplicaSet')],
  StatefulSet: ['workloadSelectors', decodeObjectSelector('StatefulSet')],
  PriorityClass: ['priorityClasses', decodePriorityClass],
} as const satisfies Partial<Record<Kind, Entry>>;

/** A kind that has a place in a Snapshot. */
export type SnapshotKind = keyof typeof ENTRIES;

/** The kinds that a Snapshot is made of. */
export const SNAPSHOT_KINDS = Object.keys(ENTRIES) as readonly SnapshotKind[];

const isSnapshotKind = (kind: Kind): kind is SnapshotKind => Object.hasOwn(ENTRIES, kind);

/** Kinds that later decisions read; named, so that nobody believes they were heeded. */
const NOT_HEEDED: ReadonlySet<Kind> = new Set(['NodeOverlay', 'CapacityBuffer', 'PodTemplate']);

/** Gathers decoded objects page by page, so that nothing of the JSON need be kept. */
export interface Gathering {
  /** Decodes `items`, all of one kind, which a list's items need not name themselves. */
  readonly addList: (kind: SnapshotKind, items: readonly unknown[]) => void;
  /** Decodes one object that names its own kind. */
  readonly addObject: (object: unknown) => void;
  readonly result: () => DecodeResult;
}

/** What became of a number of objects. */
export interface DecodeResult {
  readonly objects: DecodedObjects;
  /** Sorted as they came; what is left out is nowhere in `objects`. */
  readonly leftOut: readonly LeftOut[];
  /** Objects of kinds that Joinery has no use for, by "apiVersion kind", each once, sorted. */
  readonly unknownKinds: readonly string[];
}

/** Decodes objects that name their own kind. One bad object leaves only itself out. O(objects). */
export function decodeObjects(objects: Iterable<unknown>): DecodeResult {
  const gathering = gather();
  for (const object of objects) gathering.addObject(object);
  return gathering.result();
}

/** An empty Gathering. */
export function gather(): Gathering {
  const objects = emptyLists();
  const leftOut: LeftOut[] = [];
  const unknownKinds = new Set<string>();
  const add = (kind: SnapshotKind, item: unknown): void => {
    const [into, decode] = ENTRIES[kind];
    try {
      (objects[into] as Decoded[]).push(decode(item));
    } catch (error) {
      leftOut.push(leftOutOf(kind, item, error));
    }
  };
  return {
    addList: (kind, items) => {
      for (const item of items) add(kind, item);
    },
    addObject: (object) => {
      const { kind, apiVersion } = identityOf(object);
      if (!isKind(kind) || groupOf(KINDS[kind].apiVersion) !== groupOf(apiVersion)) {
        unknownKinds.add(`${apiVersion} ${kind}`.trim());
      } else if (KINDS[kind].apiVersion !== apiVersion) {
        const problem = `found ${JSON.stringify(apiVersion)}, expected "${KINDS[kind].apiVersion}"`;
        leftOut.push(leftOutOf(kind, object, new DecodeError('apiVersion', problem)));
      } else if (isSnapshotKind(kind)) {
        add(kind, object);
      } else if (NOT_HEEDED.has(kind)) {
        const problem = `a ${kind} is not heeded yet`;
        leftOut.push(leftOutOf(kind, object, new DecodeError('kind', problem)));
      }
    },
    result: () => ({ objects, leftOut, unknownKinds: [...unknownKinds].sort() }),
  };
}

function emptyLists(): Record<keyof DecodedObjects, Decoded[]> & DecodedObjects {
  const lists: Partial<Record<keyof DecodedObjects, Decoded[]>> = {};
  for (const [into] of Object.values(ENTRIES)) lists[into] = [];
  return lists as Record<keyof DecodedObjects, Decoded[]> & DecodedObjects;
}

function leftOutOf(kind: Kind, item: unknown, error: unknown): LeftOut {
  if (!(error instanceof DecodeError)) throw error;
  const { namespace, name } = identityOf(item);
  return {
    object: {
      apiVersion: KINDS[kind].apiVersion,
      kind,
      name,
      ...(namespace !== '' && { namespace }),
    },
    field: error.field,
    problem: error.problem,
  };
}

/** What an object calls itself, as far as that can be made out; '' where it cannot. */
export function identityOf(object: unknown): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
} {
  const meta = textsOf(textsOf(object).metadata);
  const { apiVersion, kind } = textsOf(object);
  return {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind: typeof kind === 'string' ? kind : '',
    namespace: typeof meta.namespace === 'string' ? meta.namespace : '',
    name: typeof meta.name === 'string' ? meta.name : '',
  };
}

const textsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
