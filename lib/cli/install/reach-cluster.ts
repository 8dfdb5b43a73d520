import { KubeFailure } from '#lib/kube/errors.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';

/** The cluster of the current kubeconfig context; what keeps it from being reached is a KubeFailure. */
export async function reachCluster(): Promise<KubeTransport> {
  const { connectKubeconfig } = await import('#lib/kube/connect-kubeconfig.ts');
  try {
    return connectKubeconfig();
  } catch (cause) {
    throw new KubeFailure('broken', cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}
