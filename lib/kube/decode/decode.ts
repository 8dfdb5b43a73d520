import { groupOf, isKind, KINDS, type Kind } from '#lib/kube/kinds.ts';
import type { CapacityBuffer } from '#lib/model/capacity-buffer.ts';
import type { DaemonSet } from '#lib/model/daemon-set.ts';
import type { FeatureGate } from '#lib/model/feature-gates.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { NodeOverlay } from '#lib/model/node-overlay.ts';
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
import { decodeCapacityBuffer } from './decode-capacity-buffer.ts';
import { decodeNode } from './decode-node.ts';
import { decodeNodeClaim } from './decode-node-claim.ts';
import { decodeNodeClass } from './decode-node-class.ts';
import { decodeNodeOverlay } from './decode-node-overlay.ts';
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
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly capacityBuffers: readonly CapacityBuffer[];
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
  NodeOverlay: ['nodeOverlays', decodeNodeOverlay],
  CapacityBuffer: ['capacityBuffers', decodeCapacityBuffer],
} as const satisfies Partial<Record<Kind, Entry>>;

/** A kind that has a place in a Snapshot. */
export type SnapshotKind = keyof typeof ENTRIES;

/** The kinds that are read only where a cluster asked for what they do. */
const GATED: ReadonlyMap<SnapshotKind, FeatureGate> = new Map([
  ['NodeOverlay', 'NodeOverlay'],
  ['CapacityBuffer', 'CapacityBuffer'],
]);

/**
 * The kinds from which is deduced whom pods are spread among that do not say so: read only where the
 * settings have such pods spread. ReplicaSets alone are a tenth of what a large cluster lists.
 */
export const SPREAD_KINDS: readonly SnapshotKind[] = [
  'ReplicaSet',
  'ReplicationController',
  'Service',
  'StatefulSet',
];

/** The kinds that every Snapshot is made of. */
export const SNAPSHOT_KINDS: readonly SnapshotKind[] = (
  Object.keys(ENTRIES) as readonly SnapshotKind[]
).filter((kind) => !GATED.has(kind) && !SPREAD_KINDS.includes(kind));

/** The further kinds that a Snapshot is made of behind these gates; their CRDs may be missing. */
export const gatedKinds = (open: readonly FeatureGate[]): readonly SnapshotKind[] =>
  [...GATED].flatMap(([kind, gate]) => (open.includes(gate) ? [kind] : []));

const isSnapshotKind = (kind: Kind): kind is SnapshotKind => Object.hasOwn(ENTRIES, kind);

/** What became of a number of objects. */
export interface DecodeResult {
  readonly objects: DecodedObjects;
  /** Sorted as they came; what is left out is nowhere in `objects`. */
  readonly leftOut: readonly LeftOut[];
  /** Objects of kinds that Joinery has no use for, by "apiVersion kind", each once, sorted. */
  readonly unknownKinds: readonly string[];
}

/** Decodes objects that name their own kind. One bad object leaves only itself out. O(objects). */
export function decodeObjects(items: Iterable<unknown>): DecodeResult {
  const objects = emptyLists();
  const leftOut: LeftOut[] = [];
  const unknownKinds = new Set<string>();
  for (const item of items) {
    const known = knownKind(item);
    if ('unknown' in known) unknownKinds.add(known.unknown);
    else if ('refused' in known) leftOut.push(leftOutOf(known.kind, item, known.refused));
    else if (isSnapshotKind(known.kind)) decodeInto(objects, leftOut, known.kind, item);
  }
  return { objects, leftOut, unknownKinds: [...unknownKinds].sort() };
}

/** One object as a Snapshot keeps it, or why it is left out. */
export type Reduced = { readonly decoded: Decoded } | { readonly leftOut: LeftOut };

/** What is kept of an object of a list, which need not name its own kind. */
export function reduceObject(kind: SnapshotKind, item: unknown): Reduced {
  try {
    return { decoded: ENTRIES[kind][1](item) };
  } catch (error) {
    return { leftOut: leftOutOf(kind, item, error) };
  }
}

/** Everything that was kept, by kind, in its order. O(objects). */
export function gatherReduced(
  kinds: Iterable<readonly [SnapshotKind, Iterable<Reduced>]>,
): DecodeResult {
  const objects = emptyLists();
  const leftOut: LeftOut[] = [];
  for (const [kind, kept] of kinds) {
    const into = objects[ENTRIES[kind][0]] as Decoded[];
    for (const each of kept) {
      if ('decoded' in each) into.push(each.decoded);
      else leftOut.push(each.leftOut);
    }
  }
  return { objects, leftOut, unknownKinds: [] };
}

type KnownKind =
  | { readonly unknown: string }
  | { readonly kind: Kind }
  | { readonly kind: Kind; readonly refused: DecodeError };

/** A kind is known by its group too: somebody else's Service is not ours. */
function knownKind(item: unknown): KnownKind {
  const { kind, apiVersion } = identityOf(item);
  if (!isKind(kind) || groupOf(KINDS[kind].apiVersion) !== groupOf(apiVersion)) {
    return { unknown: `${apiVersion} ${kind}`.trim() };
  }
  const expected = KINDS[kind].apiVersion;
  if (expected !== apiVersion) {
    const problem = `found ${JSON.stringify(apiVersion)}, expected ${JSON.stringify(expected)}`;
    return { kind, refused: new DecodeError('apiVersion', problem) };
  }
  return { kind };
}

function decodeInto(
  objects: MutableLists,
  leftOut: LeftOut[],
  kind: SnapshotKind,
  item: unknown,
): void {
  const reduced = reduceObject(kind, item);
  if ('leftOut' in reduced) leftOut.push(reduced.leftOut);
  else (objects[ENTRIES[kind][0]] as Decoded[]).push(reduced.decoded);
}

type MutableLists = DecodedObjects & Record<keyof DecodedObjects, Decoded[]>;

const LISTS: readonly (keyof DecodedObjects)[] = [
  ...new Set(Object.values(ENTRIES).map(([into]) => into)),
];

const emptyLists = (): MutableLists =>
  Object.fromEntries(LISTS.map((into) => [into, []])) as unknown as MutableLists;

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
  readonly uid: string;
  readonly resourceVersion: string;
} {
  const { apiVersion, kind, metadata } = textsOf(object);
  const { namespace, name, uid, resourceVersion } = textsOf(metadata);
  return {
    apiVersion: textOr(apiVersion),
    kind: textOr(kind),
    namespace: textOr(namespace),
    name: textOr(name),
    uid: textOr(uid),
    resourceVersion: textOr(resourceVersion),
  };
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

const textsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
