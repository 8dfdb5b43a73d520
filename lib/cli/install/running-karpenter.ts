import { send } from '#lib/kube/errors.ts';
import { foreignHolder } from '#lib/kube/lease.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';

/** The label by which Karpenter's chart names its Deployment. */
const LABEL = 'app.kubernetes.io/name=karpenter';

/**
 * Where Karpenter runs in the cluster, in a person's words; undefined where it does not. Two
 * provisioners would each make nodes for the same pods.
 */
export async function runningKarpenter(
  kube: KubeTransport,
  now: number,
): Promise<string | undefined> {
  const found = await send(kube, {
    method: 'GET',
    path: '/apis/apps/v1/deployments',
    query: { labelSelector: LABEL },
  });
  const items: readonly unknown[] = Object(found).items ?? [];
  for (const item of items) {
    const { metadata, spec } = Object(item);
    const replicas = Number(Object(spec).replicas ?? 1);
    const { namespace, name } = Object(metadata);
    if (replicas > 0) return `Deployment ${namespace}/${name} with ${replicas} replicas`;
  }
  const holder = await foreignHolder(kube, now);
  return holder === undefined ? undefined : `${holder}, which holds Karpenter's Lease`;
}

/** What to do about it. */
export const HAND_OVER = `Hand over first:
  kubectl --namespace NAMESPACE scale deployment NAME --replicas=0
and install again once its Lease has run out, after 15 seconds. NodePools, NodeClaims, EC2NodeClasses
and nodes are taken over as they are; no node is replaced by the move. To go back: npm run joinery --
uninstall --hand-over, then scale the Deployment up again.`;
