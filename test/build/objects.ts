/** What every built object carries, and how a test says what is different about it. */
import type { ObjectMeta } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** When everything in the tests happens: 2026-11-20T12:00:00Z. */
export const NOON: EpochMs = 1_795_176_000_000;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const GIB = 2 ** 30;

/** A whole object of which a test states only some fields, and of those with parts only some. */
export type Difference<
  T extends { readonly meta: object },
  Parts extends keyof T = never,
> = Partial<Omit<T, 'meta' | Parts>> & { readonly meta?: Partial<T['meta']> } & {
  readonly [Part in Parts]?: Partial<T[Part]>;
};

/** The metadata of an object made an hour ago; the uid follows from the name. */
export function aMeta(name: string, difference: Partial<ObjectMeta> = {}): ObjectMeta {
  const called = difference.name ?? name;
  return {
    name: called,
    uid: `uid-of-${difference.namespace ?? ''}-${called}`,
    resourceVersion: '1',
    generation: 1,
    createdAt: NOON - HOUR,
    labels: {},
    annotations: {},
    finalizers: [],
    owners: [],
    ...difference,
  };
}

/** The metadata of an object in a namespace, `default` unless said otherwise. */
export function aNamespacedMeta(
  name: string,
  difference: Partial<ObjectMeta> = {},
): ObjectMeta & { readonly namespace: string } {
  const namespace = difference.namespace ?? 'default';
  return { ...aMeta(name, { ...difference, namespace }), namespace };
}

/** An ownerReference to a controller of this kind. */
export const ownedBy = (kind: 'ReplicaSet' | 'DaemonSet' | 'StatefulSet' | 'Job' | 'Node') => ({
  apiVersion: kind === 'Node' ? 'v1' : kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  name: `a-${kind.toLowerCase()}`,
  uid: `uid-of-a-${kind.toLowerCase()}`,
  controller: true,
});
