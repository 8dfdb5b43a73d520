import type { ClusterClient } from './cluster-client.ts';

/** Source: Karpenter's groups; what Joinery itself writes must not wake it. */
const OURS = "request.userInfo.groups.exists(group, group == 'joinery')";

const rule = (
  apiGroup: string,
  apiVersion: string,
  resource: string,
  operations: readonly string[],
) => ({
  apiGroups: [apiGroup],
  apiVersions: [apiVersion],
  resources: [resource],
  operations,
});

/**
 * Lets the API server knock at `url` for pods that find no place and for changes of what Joinery
 * is told to do. It takes effect within a second or two.
 */
export async function installWebhook(
  cluster: ClusterClient,
  { url, certificateAuthority }: { readonly url: string; readonly certificateAuthority: string },
): Promise<void> {
  const anyChange = ['CREATE', 'UPDATE', 'DELETE'];
  const common = {
    clientConfig: { url, caBundle: Buffer.from(certificateAuthority).toString('base64') },
    admissionReviewVersions: ['v1'],
    sideEffects: 'NoneOnDryRun',
    failurePolicy: 'Ignore',
    timeoutSeconds: 1,
  };
  await cluster.apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'joinery' },
    webhooks: [
      {
        ...common,
        name: 'unschedulable.joinery.dev',
        rules: [rule('events.k8s.io', 'v1', 'events', ['CREATE'])],
        matchConditions: [
          { name: 'not-ours', expression: `!${OURS}` },
          { name: 'unschedulable', expression: "object.reason == 'FailedScheduling'" },
        ],
      },
      {
        ...common,
        name: 'specs.joinery.dev',
        rules: [
          rule('karpenter.sh', 'v1', 'nodepools', anyChange),
          rule('karpenter.sh', 'v1', 'nodeclaims', anyChange),
          rule('karpenter.k8s.aws', 'v1', 'ec2nodeclasses', anyChange),
        ],
        matchConditions: [{ name: 'not-ours', expression: `!${OURS}` }],
      },
      {
        ...common,
        name: 'nodes.joinery.dev',
        rules: [rule('', 'v1', 'nodes', ['CREATE', 'DELETE'])],
        matchConditions: [{ name: 'not-ours', expression: `!${OURS}` }],
      },
    ],
  });
}
