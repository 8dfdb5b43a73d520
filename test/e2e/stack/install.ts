import { parseAllDocuments } from 'yaml';
import { applyManifest } from '#lib/cli/install/apply.ts';
import { type Manifest, manifests, type Wanted } from '#lib/cli/install/manifests.ts';
import type { ClusterClient } from './cluster-client.ts';
import { until } from './control-plane.ts';

/** The objects in a text of YAML. */
export const objectsIn = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  parseAllDocuments(text).map((document) => document.toJS());

/** Does what `joinery install` does, and waits until the API server serves the kinds. */
export async function installJoinery(cluster: ClusterClient, wanted: Wanted = {}): Promise<void> {
  for (const manifest of manifests(wanted)) await applyManifest(cluster.transport, manifest);
  const kinds = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass', 'CapacityBuffer'] as const;
  await until(
    async () => {
      const lists = await Promise.allSettled(kinds.map((kind) => cluster.list(kind)));
      return lists.every(({ status }) => status === 'fulfilled');
    },
    20_000,
    () => 'the API server serves our kinds',
  );
}

/** The webhook of `joinery install`, for a door whose certificate nobody else knows. */
export async function installWebhook(
  cluster: ClusterClient,
  { url, certificateAuthority }: { readonly url: string; readonly certificateAuthority: string },
): Promise<void> {
  const caBundle = Buffer.from(certificateAuthority).toString('base64');
  const isWebhook = ({ kind }: Manifest) => kind === 'ValidatingWebhookConfiguration';
  for (const manifest of manifests({ webhookUrl: url }).filter(isWebhook)) {
    const { webhooks } = Object(manifest);
    const trusted = webhooks.map((webhook: { readonly clientConfig: object }) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle },
    }));
    await applyManifest(cluster.transport, Object.assign({}, manifest, { webhooks: trusted }));
  }
}
