import type { Wire } from '#lib/kube/decode/field.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import { send, versionIn } from './errors.ts';
import { isKind, KINDS, type Kind, pathOf } from './kinds.ts';
import type { KubeTransport } from './transport.ts';

const MERGE_PATCH = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

/** One operation of a JSON patch. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Makes an object; the answer is the object. Throws KubeFailure, AlreadyExists among them. */
export function create(
  kube: KubeTransport,
  kind: Kind,
  body: Wire,
  namespace?: string,
): Promise<unknown> {
  return send(kube, {
    method: 'POST',
    path: pathOf(kind, namespace === undefined ? {} : { namespace }),
    body: { apiVersion: KINDS[kind].apiVersion, kind, ...body },
  });
}

/**
 * Merges `change` into the object as it was seen, and gives its new resourceVersion. Lists are
 * replaced whole; null takes a key away. Throws KubeFailure: conflict where it has changed since.
 */
export function patch(kube: KubeTransport, ref: ObjectRef, change: Wire): Promise<string> {
  return mergePatch(kube, pathOfRef(ref), ref, change);
}

/** As patch, for the status subresource. */
export function patchStatus(kube: KubeTransport, ref: ObjectRef, status: Wire): Promise<string> {
  return mergePatch(kube, `${pathOfRef(ref)}/status`, ref, { status });
}

async function mergePatch(
  kube: KubeTransport,
  path: string,
  { uid, resourceVersion }: ObjectRef,
  change: Wire,
): Promise<string> {
  const metadata = { ...(change.metadata as Wire | undefined), uid, resourceVersion };
  const body = { ...change, metadata };
  return versionIn(await send(kube, { method: 'PATCH', path, contentType: MERGE_PATCH, body }));
}

/**
 * Applies a JSON patch to the object with this uid, whatever its version; `operations` test what
 * they rely on. Throws KubeFailure: conflict where a test fails.
 */
export async function patchWithTests(
  kube: KubeTransport,
  ref: Omit<ObjectRef, 'resourceVersion'>,
  operations: readonly PatchOperation[],
): Promise<string> {
  const body = [{ op: 'test', path: '/metadata/uid', value: ref.uid }, ...operations];
  const request = { path: pathOfRef(ref), contentType: JSON_PATCH, body } as const;
  return versionIn(await send(kube, { method: 'PATCH', ...request }));
}

/**
 * Deletes the object as it was seen; with `anyVersion` even if it has changed since. An object with
 * finalizers stays until they are gone. Throws KubeFailure: conflict where it has changed, gone where
 * it is no longer there, or another has its name.
 */
export async function remove(
  kube: KubeTransport,
  ref: ObjectRef,
  options: { readonly graceSeconds?: number; readonly anyVersion?: boolean } = {},
): Promise<void> {
  const { uid, resourceVersion } = ref;
  const preconditions = options.anyVersion === true ? { uid } : { uid, resourceVersion };
  await send(kube, {
    method: 'DELETE',
    path: pathOfRef(ref),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      ...(options.graceSeconds !== undefined && { gracePeriodSeconds: options.graceSeconds }),
    },
  });
}

/** The path of the object that `ref` names. Throws for a kind that Joinery never writes. */
export function pathOfRef(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  const { kind, namespace, name } = ref;
  if (!isKind(kind)) throw new Error(`Expected a known kind, found ${JSON.stringify(kind)}`);
  return pathOf(kind, namespace === undefined ? { name } : { namespace, name });
}
