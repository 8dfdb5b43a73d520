import { KubeFailure, send } from '#lib/kube/errors.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { Manifest } from './manifests.ts';

/** Who these fields belong to, as far as server-side apply is concerned. */
const FIELD_MANAGER = 'joinery-install';

/** Under which plural each kind that we apply is served. */
const PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  FlowSchema: 'flowschemas',
  Namespace: 'namespaces',
  PriorityClass: 'priorityclasses',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};

/** Where an object is served. Throws for a kind that nobody installs. */
export function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const plural = PLURALS[kind];
  if (plural === undefined) throw new Error(`expected a kind that is installed, found ${kind}`);
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${group}${namespace}/${plural}/${metadata.name}`;
}

/**
 * Makes an object what its manifest says, or makes it; says what was done. A kind's definition that
 * somebody else installed is left as it is: Karpenter's own v1 serves as well. Throws a KubeFailure
 * where the API server refuses.
 */
export async function applyManifest(kube: KubeTransport, manifest: Manifest): Promise<string> {
  const path = pathOf(manifest);
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  if (manifest.kind === 'CustomResourceDefinition') {
    const found = await read(kube, path);
    if (found !== undefined && !isOurs(found)) return `${name}: is there already, left as it is`;
  }
  await send(kube, {
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
  return `${name}: applied`;
}

async function read(kube: KubeTransport, path: string): Promise<unknown> {
  try {
    return await send(kube, { method: 'GET', path });
  } catch (error) {
    if (error instanceof KubeFailure && error.kind === 'gone') return undefined;
    throw error;
  }
}

const isOurs = (object: unknown): boolean => {
  const managers: readonly { readonly manager?: string }[] =
    Object(Object(object).metadata).managedFields ?? [];
  return managers.some(({ manager }) => manager === FIELD_MANAGER);
};
