import type { ObjectRef } from '#lib/model/object.ts';
import { send } from './errors.ts';
import type { KubeTransport } from './transport.ts';
import { pathOfRef } from './write.ts';

/**
 * Asks for the eviction of a pod as it was seen, once. Throws KubeFailure: notNow where a
 * PodDisruptionBudget forbids it at this moment, broken where two of them match, conflict or gone
 * where it is another pod by now, or none.
 */
export async function evict(kube: KubeTransport, pod: ObjectRef): Promise<void> {
  const { name, namespace, uid, resourceVersion } = pod;
  await send(kube, {
    method: 'POST',
    path: `${pathOfRef(pod)}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid, resourceVersion } },
    },
  });
}
