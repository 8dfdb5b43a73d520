import type { Registry } from './registry.ts';
import { isRefusal, noSuchResource, type Refusal } from './status.ts';
import type { KubeObject, Metadata } from './wire.ts';

/** A new object: its metadata is what the writer knows of it. */
export interface NewObject {
  readonly kind: string;
  readonly metadata: Partial<Metadata>;
  readonly [field: string]: unknown;
}

/**
 * How the cluster's own parts write: through the same registry as everybody, without the way
 * there. They pace themselves. A refusal is an answer, as it is to others.
 */
export interface Writer {
  readonly create: (object: NewObject) => KubeObject | Refusal;
  /** Writes metadata and spec of an object as it stands now, changed. */
  readonly update: (object: KubeObject) => KubeObject | Refusal;
  readonly updateStatus: (object: KubeObject, status: unknown) => KubeObject | Refusal;
  readonly remove: (object: KubeObject, graceSeconds?: number) => KubeObject | Refusal;
}

/** The writer of one part of the cluster. */
export function createWriter(registry: Registry, actor: string): Writer {
  const latest = (object: KubeObject): KubeObject | undefined => {
    const { namespace = '', name, uid } = object.metadata;
    const found = registry.store.get(object.kind, namespace, name);
    return found?.metadata.uid === uid ? found : undefined;
  };
  const write = (
    object: KubeObject,
    change: (current: KubeObject) => Readonly<Record<string, unknown>>,
    part: { readonly subresource?: 'status' },
  ): KubeObject | Refusal => {
    const resource = registry.resourceOfKind(object.kind);
    const current = latest(object);
    if (resource === undefined || current === undefined) return noSuchResource();
    return registry.update(resource, current, change(current), { actor, by: 'put', ...part });
  };
  return {
    create: (object) => {
      const resource = registry.resourceOfKind(object.kind);
      if (resource === undefined) return noSuchResource();
      return registry.create(resource, object.metadata.namespace ?? '', object, { actor });
    },
    update: (object) => write(object, () => ({ ...object }), {}),
    updateStatus: (object, status) =>
      write(object, (current) => ({ ...current, status }), { subresource: 'status' }),
    remove: (object, graceSeconds) => {
      const resource = registry.resourceOfKind(object.kind);
      const current = latest(object);
      if (resource === undefined || current === undefined) return noSuchResource();
      const ask = graceSeconds === undefined ? {} : { graceSeconds };
      return registry.remove(resource, current, ask, { actor });
    },
  };
}

/** An ownerReference to `owner`, as its controller. */
export const controlledBy = (owner: KubeObject) => [
  {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  },
];

/** The uid of the controller that an object belongs to, if any. */
export const controllerUid = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** The refusal's message, if `answer` is one. */
export const refusedBecause = (answer: KubeObject | Refusal): string | undefined =>
  isRefusal(answer) ? answer.message : undefined;
