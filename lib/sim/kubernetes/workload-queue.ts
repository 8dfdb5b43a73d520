import type { Registry } from './registry.ts';
import type { KnownKinds } from './store.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';
import { controllerUid } from './writer.ts';

/** Which objects a controller looks after. */
export interface Workloads<Kind extends keyof KnownKinds> {
  readonly kind: Kind;
  /** What these control: a change of one of those asks for a look at its controller. */
  readonly owns: 'Pod' | 'ReplicaSet';
  /** From a change to the look. */
  readonly reactionMs: number;
  /** Looks at one object that exists and is not being deleted. */
  readonly reconcile: (workload: KnownKinds[Kind], queue: WorkQueue) => void;
}

/** Starts a controller's loop; gives its queue, of uids, for further reasons to look. */
export function watchWorkloads<Kind extends keyof KnownKinds>(
  { clock, store }: Registry,
  { kind, owns, reactionMs, reconcile }: Workloads<Kind>,
): WorkQueue {
  const queue = createWorkQueue(clock, (uid) => {
    const workload = store.knownByUid(kind, uid);
    if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) return;
    reconcile(workload, queue);
  });
  store.onChange(({ object }) => {
    if (object.kind === kind) queue.add(object.metadata.uid, reactionMs);
    const owner = object.kind === owns ? controllerUid(object) : undefined;
    if (owner !== undefined) queue.add(owner, reactionMs);
  });
  return queue;
}
