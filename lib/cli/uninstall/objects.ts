import type { KubeFailure } from '#lib/kube/errors.ts';
import { isGone, send } from '#lib/kube/errors.ts';
import { type Kind, pathOf } from '#lib/kube/kinds.ts';
import { listAll } from '#lib/kube/list.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';

/** An object of the cluster, as far as uninstalling reads it. */
export interface Found {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly kind: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly nodeName?: string; readonly providerID?: string };
}

/** Every object of a kind; none where the cluster does not know the kind. Throws KubeFailure. */
export async function allOf(kube: KubeTransport, kind: Kind): Promise<readonly Found[]> {
  const found: Found[] = [];
  try {
    await listAll(kube, { kind }, (item) => found.push(Object(item)));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return found;
}

/** Asks for an object's deletion; says whether it was there. Throws KubeFailure. */
export async function removeAt(kube: KubeTransport, path: string): Promise<boolean> {
  try {
    await send(kube, { method: 'DELETE', path });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Changes an object as it was seen; says whether it was still there. Throws KubeFailure, a conflict
 * where somebody changed it since: then the command is to be run again.
 */
export async function changeTo(
  kube: KubeTransport,
  kind: Kind,
  { metadata: { name, resourceVersion } }: Found,
  change: {
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly unknown[];
    readonly spec?: Readonly<Record<string, unknown>>;
  },
): Promise<boolean> {
  const { spec, ...metadata } = change;
  const body = { metadata: { ...metadata, resourceVersion }, ...(spec && { spec }) };
  const contentType = 'application/merge-patch+json';
  try {
    await send(kube, { method: 'PATCH', path: pathOf(kind, { name }), contentType, body });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** A refusal of the API server in a sentence that a person can act on. */
export const sayRefused = ({ message }: KubeFailure): string =>
  `${message}\nWhat is not said above to be done is still there; the same command goes on from here.`;
