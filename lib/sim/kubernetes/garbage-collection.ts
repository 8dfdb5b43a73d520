/**
 * The garbage collector: deletes what has owners of which none exists any longer, in the
 * background. A deleted namespace takes its contents with it at once (upstream: it stays
 * Terminating until it is empty). Foreground deletion is not played.
 *
 * Source: kubernetes v1.36, controller/garbagecollector.
 */
import type { Clock } from '../clock.ts';
import { sameJson } from './json.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resources.ts';
import type { Change, Store } from './store.ts';
import { createWorkQueue } from './work-queue.ts';
import { createWriter, type Writer } from './writer.ts';

/** From an owner's end to that of what it owned, and from a birth to the search for its owners. */
const REACTION_MS = 300;

/** Starts the collector over a registry. */
export function startGarbageCollection(
  clock: Clock,
  registry: Registry,
  resources: readonly Resource[],
): void {
  const writer = createWriter(registry, 'generic-garbage-collector');
  const { store } = registry;
  const queue = createWorkQueue(clock, (uid) => {
    const object = store.byUid(uid);
    const owners = object?.metadata.ownerReferences ?? [];
    if (object === undefined || owners.length === 0) return;
    if (owners.every((owner) => store.byUid(owner.uid) === undefined)) writer.remove(object);
  });
  store.onChange((change) => {
    const { uid, name } = change.object.metadata;
    if (change.type === 'deleted') {
      for (const dependent of store.dependents(uid)) queue.add(dependent.metadata.uid, REACTION_MS);
      if (change.object.kind === 'Namespace') emptyNamespace(registry, writer, resources, name);
    } else if (hasNewLostOwner(store, change)) queue.add(uid, REACTION_MS);
  });
}

function hasNewLostOwner(store: Store, { object, old }: Change): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  if (sameJson(owners, old?.metadata.ownerReferences ?? [])) return false;
  return owners.some((owner) => store.byUid(owner.uid) === undefined);
}

function emptyNamespace(
  { store }: Registry,
  writer: Writer,
  resources: readonly Resource[],
  namespace: string,
): void {
  for (const { kind, namespaced } of resources) {
    if (!namespaced) continue;
    for (const object of store.list(kind)) {
      if (object.metadata.namespace === namespace) writer.remove(object);
    }
  }
}
