/**
 * The cluster's objects: what etcd and the watch cache are to a real API server. Everything that
 * is written goes through here and is told on to the listeners, in order, at once; listeners only
 * take note and act later. Objects are frozen.
 */
import { compareText } from '#lib/constraints/order.ts';
import { freeze } from './json.ts';
import type { KubeObject, NodeObject, PodObject } from './wire.ts';
import type {
  BudgetObject,
  ClaimObject,
  DaemonSetObject,
  DeploymentObject,
  JobObject,
  PriorityClassObject,
  ReplicaSetObject,
  StatefulSetObject,
  StorageClassObject,
  VolumeObject,
} from './workload-wire.ts';

/** The kinds whose shape the embedded cluster's own parts read; admission has checked it. */
export interface KnownKinds {
  readonly Pod: PodObject;
  readonly Node: NodeObject;
  readonly Deployment: DeploymentObject;
  readonly ReplicaSet: ReplicaSetObject;
  readonly StatefulSet: StatefulSetObject;
  readonly DaemonSet: DaemonSetObject;
  readonly Job: JobObject;
  readonly PodDisruptionBudget: BudgetObject;
  readonly PriorityClass: PriorityClassObject;
  readonly PersistentVolumeClaim: ClaimObject;
  readonly PersistentVolume: VolumeObject;
  readonly StorageClass: StorageClassObject;
}

/** A write as listeners see it. `old` is absent for an object that is new. */
export interface Change {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: KubeObject;
  readonly old?: KubeObject;
  /** Who wrote. */
  readonly actor: string;
}

/** What is stored, indexed by all that the cluster asks for; only the registry puts it there. */
export interface Store {
  /** The number of writes so far; each object carries that of its own last one. */
  readonly resourceVersion: () => number;
  readonly get: (kind: string, namespace: string, name: string) => KubeObject | undefined;
  readonly byUid: (uid: string) => KubeObject | undefined;
  /** All of a kind, sorted by namespace and name. */
  readonly list: (kind: string) => readonly KubeObject[];
  readonly count: (kind: string) => number;
  /** Objects that name this uid as an owner, in the order in which they came to do so. */
  readonly dependents: (uid: string) => readonly KubeObject[];
  /** Pods bound to a node, finished ones included, in the order in which they were bound. */
  readonly podsOn: (nodeName: string) => readonly PodObject[];
  readonly known: <Kind extends keyof KnownKinds>(
    kind: Kind,
    namespace: string,
    name: string,
  ) => KnownKinds[Kind] | undefined;
  /** The same by uid. */
  readonly knownByUid: <Kind extends keyof KnownKinds>(
    kind: Kind,
    uid: string,
  ) => KnownKinds[Kind] | undefined;
  readonly all: <Kind extends keyof KnownKinds>(kind: Kind) => readonly KnownKinds[Kind][];
  /** Writes `object` under a new resourceVersion and gives what was stored. */
  readonly put: (object: KubeObject, actor: string) => KubeObject;
  readonly remove: (object: KubeObject, actor: string) => void;
  readonly onChange: (listener: (change: Change) => void) => void;
}

interface Shelf {
  readonly objects: Map<string, KubeObject>;
  sortedKeys: readonly string[] | undefined;
  /** The whole shelf in order, as long as nothing on it changes. */
  listed: readonly KubeObject[] | undefined;
}

interface Indexes {
  readonly byUid: Map<string, KubeObject>;
  readonly byOwner: Map<string, Map<string, KubeObject>>;
  readonly podsByNode: Map<string, Map<string, PodObject>>;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Whether `object` is a pod. */
export const isPod = (object: KubeObject): object is PodObject => object.kind === 'Pod';
/** Whether `object` is a Node. */
export const isNode = (object: KubeObject): object is NodeObject => object.kind === 'Node';

/** An empty store. */
export function createStore(): Store {
  const shelves = new Map<string, Shelf>();
  const indexes: Indexes = { byUid: new Map(), byOwner: new Map(), podsByNode: new Map() };
  const listeners: ((change: Change) => void)[] = [];
  let writes = 0;

  const get: Store['get'] = (kind, namespace, name) =>
    shelves.get(kind)?.objects.get(keyOf(namespace, name));
  const list: Store['list'] = (kind) => listShelf(shelves.get(kind));
  const tell = (change: Change): void => {
    for (const listen of listeners) listen(change);
  };
  const put: Store['put'] = (object, actor) => {
    writes += 1;
    const metadata = { ...object.metadata, resourceVersion: String(writes) };
    const stored = freeze({ ...object, metadata });
    const shelf = shelfOf(shelves, object.kind);
    const key = keyOf(metadata.namespace ?? '', metadata.name);
    const old = shelf.objects.get(key);
    if (old === undefined) shelf.sortedKeys = undefined;
    shelf.listed = undefined;
    shelf.objects.set(key, stored);
    reindex(indexes, old, stored);
    tell(
      old === undefined
        ? { type: 'added', object: stored, actor }
        : { type: 'modified', object: stored, old, actor },
    );
    return stored;
  };
  const remove: Store['remove'] = (object, actor) => {
    writes += 1;
    const shelf = shelfOf(shelves, object.kind);
    shelf.objects.delete(keyOf(object.metadata.namespace ?? '', object.metadata.name));
    shelf.sortedKeys = undefined;
    shelf.listed = undefined;
    reindex(indexes, object, undefined);
    tell({ type: 'deleted', object, old: object, actor });
  };

  return {
    resourceVersion: () => writes,
    get,
    list,
    byUid: (uid) => indexes.byUid.get(uid),
    count: (kind) => shelves.get(kind)?.objects.size ?? 0,
    dependents: (uid) => [...(indexes.byOwner.get(uid)?.values() ?? [])],
    podsOn: (nodeName) => [...(indexes.podsByNode.get(nodeName)?.values() ?? [])],
    // Admission has checked the shape of these kinds, so the name of the kind tells the type.
    known: (kind, namespace, name) =>
      get(kind, namespace, name) as KnownKinds[typeof kind] | undefined,
    knownByUid: (kind, uid) => {
      const found = indexes.byUid.get(uid);
      return found?.kind === kind ? (found as KnownKinds[typeof kind]) : undefined;
    },
    all: (kind) => list(kind) as readonly KnownKinds[typeof kind][],
    put,
    remove,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function shelfOf(shelves: Map<string, Shelf>, kind: string): Shelf {
  const found = shelves.get(kind);
  if (found !== undefined) return found;
  const shelf: Shelf = { objects: new Map(), sortedKeys: undefined, listed: undefined };
  shelves.set(kind, shelf);
  return shelf;
}

function listShelf(shelf: Shelf | undefined): readonly KubeObject[] {
  if (shelf === undefined) return [];
  if (shelf.listed !== undefined) return shelf.listed;
  shelf.sortedKeys ??= [...shelf.objects.keys()].sort(compareText);
  const objects: KubeObject[] = [];
  for (const key of shelf.sortedKeys) {
    const object = shelf.objects.get(key);
    if (object !== undefined) objects.push(object);
  }
  shelf.listed = objects;
  return objects;
}

function reindex(
  indexes: Indexes,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): void {
  const uid = next?.metadata.uid ?? old?.metadata.uid ?? '';
  if (next === undefined) indexes.byUid.delete(uid);
  else indexes.byUid.set(uid, next);
  move(indexes.byOwner, { from: ownerUids(old), to: ownerUids(next), uid, object: next });
  const pod = next !== undefined && isPod(next) ? next : undefined;
  move(indexes.podsByNode, { from: nodeNames(old), to: nodeNames(next), uid, object: pod });
}

const ownerUids = (object: KubeObject | undefined): readonly string[] =>
  (object?.metadata.ownerReferences ?? []).map((owner) => owner.uid);

const nodeNames = (object: KubeObject | undefined): readonly string[] =>
  object !== undefined && isPod(object) && object.spec.nodeName !== undefined
    ? [object.spec.nodeName]
    : [];

interface Move<Item> {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly uid: string;
  readonly object: Item | undefined;
}

function move<Item>(
  index: Map<string, Map<string, Item>>,
  { from, to, uid, object }: Move<Item>,
): void {
  for (const key of from) {
    if (to.includes(key)) continue;
    const group = index.get(key);
    group?.delete(uid);
    if (group?.size === 0) index.delete(key);
  }
  if (object === undefined) return;
  for (const key of to) {
    const group = index.get(key) ?? new Map<string, Item>();
    group.set(uid, object);
    index.set(key, group);
  }
}
