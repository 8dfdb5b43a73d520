/**
 * Deleting: preconditions, grace for pods, finalizers. Foreground deletion is treated as
 * background deletion: dependents go after their owner.
 */
import type { Instant } from '../clock.ts';
import { isRecord, recordAt, textAt } from './json.ts';
import type { Resource } from './resources.ts';
import { conflict, type Refusal } from './status.ts';
import { isPod, type Store } from './store.ts';
import { toTimestamp } from './timestamps.ts';
import type { KubeObject } from './wire.ts';

/** What a DELETE may ask for. */
export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly graceSeconds?: number;
  readonly orphanDependents?: boolean;
}

/** What a deletion has to do with. */
interface Deletion {
  readonly store: Store;
  readonly now: Instant;
  readonly resource: Resource;
  readonly ask: DeleteOptions;
  readonly actor: string;
  readonly dryRun: boolean;
}

/** Deletes `current`, or marks it as to be deleted; gives its last or its marked state. */
export function deleteObject(current: KubeObject, deletion: Deletion): KubeObject | Refusal {
  const { store, now, ask, actor } = deletion;
  const lost = preconditionLost(current, deletion);
  if (lost !== undefined) return lost;
  if (deletion.dryRun) return current;
  const grace = graceOf(current, ask.graceSeconds);
  const isShorter = grace < (current.metadata.deletionGracePeriodSeconds ?? 0);
  if (current.metadata.deletionTimestamp !== undefined && !isShorter) return current;
  if (ask.orphanDependents === true) orphan(store, current, actor);
  const metadata = {
    ...current.metadata,
    deletionTimestamp: toTimestamp(now + grace * 1000),
    deletionGracePeriodSeconds: grace,
  };
  const doomed = { ...current, metadata };
  if (!isReleased(doomed)) return store.put(doomed, actor);
  store.remove(current, actor);
  return doomed;
}

function preconditionLost(
  { metadata }: KubeObject,
  { resource, ask }: Deletion,
): Refusal | undefined {
  const { name, uid, resourceVersion } = metadata;
  if (ask.uid !== undefined && ask.uid !== uid) {
    return conflict(resource, name, wrongUid(ask.uid, uid));
  }
  if (ask.resourceVersion === undefined || ask.resourceVersion === resourceVersion)
    return undefined;
  const because = `Precondition failed: ResourceVersion in precondition: ${ask.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
  return conflict(resource, name, because);
}

/** Why a write that meant another object of this name was refused. */
export const wrongUid = (asked: string, found: string): string =>
  `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;

/** Whether nothing keeps an object that is being deleted any longer. */
export const isReleased = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  (metadata.finalizers ?? []).length === 0;

/** Only pods that a kubelet runs get time to stop. Source: kubernetes v1.36, registry/core/pod. */
function graceOf(object: KubeObject, asked: number | undefined): number {
  if (!isPod(object) || object.spec.nodeName === undefined) return 0;
  if (object.status.phase === 'Succeeded' || object.status.phase === 'Failed') return 0;
  return asked ?? object.spec.terminationGracePeriodSeconds ?? 30;
}

function orphan(store: Store, owner: KubeObject, actor: string): void {
  const { uid } = owner.metadata;
  for (const dependent of store.dependents(uid)) {
    const others = dependent.metadata.ownerReferences?.filter((each) => each.uid !== uid) ?? [];
    const metadata = { ...dependent.metadata, ownerReferences: others };
    store.put({ ...dependent, metadata }, actor);
  }
}

/** What a request to delete or evict asks for, in its body or its query. */
export function deleteOptionsOf({
  query,
  body,
}: {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}): DeleteOptions {
  const asked = isRecord(body) && body.kind === 'Eviction' ? recordAt(body, 'deleteOptions') : body;
  const { uid, resourceVersion } = recordAt(asked, 'preconditions');
  const grace = isRecord(asked) ? asked.gracePeriodSeconds : undefined;
  const graceSeconds = Number(grace ?? query?.gracePeriodSeconds ?? Number.NaN);
  const propagation = textAt(asked, 'propagationPolicy') ?? query?.propagationPolicy;
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    ...(Number.isNaN(graceSeconds) ? {} : { graceSeconds: Math.max(0, graceSeconds) }),
    orphanDependents: propagation === 'Orphan',
  };
}
