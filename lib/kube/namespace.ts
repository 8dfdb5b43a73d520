import { NAMESPACE } from '#lib/model/labels.ts';
import { alreadyExists, isGone } from './errors.ts';
import type { Wire } from './field.ts';
import type { Kind } from './kinds.ts';
import type { KubeTransport } from './transport.ts';
import { create } from './write.ts';

/** Makes one of Joinery's own objects in its namespace, and the namespace where it is missing. */
export async function createOurs(kube: KubeTransport, kind: Kind, body: Wire): Promise<unknown> {
  try {
    return await create(kube, kind, body, NAMESPACE);
  } catch (error) {
    if (!isGone(error)) throw error;
    await createNamespace(kube);
    return await create(kube, kind, body, NAMESPACE);
  }
}

async function createNamespace(kube: KubeTransport): Promise<void> {
  try {
    await create(kube, 'Namespace', { metadata: { name: NAMESPACE } });
  } catch (error) {
    if (!alreadyExists(error)) throw error;
  }
}
