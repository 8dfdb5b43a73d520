import { connectEndpoint } from '#lib/kube/connect-endpoint.ts';
import { send } from '#lib/kube/errors.ts';
import { KINDS, type Kind, pathOf } from '#lib/kube/kinds.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { ControlPlane, User } from './control-plane.ts';

/** An object of Kubernetes as the tests look into it. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the API server answered.
  readonly [key: string]: any;
}

/** What the tests do with a cluster, as kubectl would. */
export interface ClusterClient {
  readonly transport: KubeTransport;
  /** Makes the object or merges into it what is there; a namespace is default where it needs one. */
  readonly apply: (object: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly list: (
    kind: Kind,
    query?: Readonly<Record<string, string>>,
  ) => Promise<readonly KubeObject[]>;
  readonly patch: (path: string, change: unknown) => Promise<void>;
  readonly remove: (path: string, query?: Readonly<Record<string, string>>) => Promise<void>;
}

const JSON_MERGE = 'application/merge-patch+json';
const STRATEGIC_MERGE = 'application/strategic-merge-patch+json';
const NOT_FOUND = 404;

/** Custom resources know no strategic merge. */
const isBuiltIn = (apiVersion = ''): boolean =>
  !/^(karpenter\.|autoscaling\.x-k8s\.io)/.test(apiVersion);

/** Speaks to the API server as `user`. Everything throws what the API server has against it. */
export function clusterClient(plane: ControlPlane, user: User = 'admin'): ClusterClient {
  const transport = connectEndpoint({
    server: plane.server,
    certificateAuthority: Buffer.from(plane.certificateAuthority).toString('base64'),
    token: () => Promise.resolve(plane.token(user)),
    forgetToken: () => undefined,
  });
  const patch: ClusterClient['patch'] = async (path, body) => {
    await send(transport, { method: 'PATCH', path, contentType: JSON_MERGE, body });
  };
  return {
    transport,
    patch,
    apply: async (object) => {
      const { apiVersion, metadata } = object as unknown as KubeObject;
      const path = collectionPath(object);
      const contentType = isBuiltIn(apiVersion) ? STRATEGIC_MERGE : JSON_MERGE;
      const change = { method: 'PATCH', path: `${path}/${metadata.name}`, contentType } as const;
      const changed = await transport({ ...change, body: object });
      const answer =
        changed.status === NOT_FOUND
          ? await transport({ method: 'POST', path, body: object })
          : changed;
      if (answer.status < 300) return;
      throw new Error(String(Object(answer.body).message ?? JSON.stringify(answer.body)));
    },
    list: async (kind, query = {}) => {
      const answer = await send(transport, { method: 'GET', path: pathOf(kind), query });
      return Object(answer).items;
    },
    remove: async (path, query = {}) => {
      const answer = await transport({ method: 'DELETE', path, query });
      if (answer.status >= 300 && answer.status !== NOT_FOUND)
        throw new Error(JSON.stringify(answer.body));
    },
  };
}

/** Kinds that Joinery does not know and the tests need. */
const PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ServiceAccount: 'serviceaccounts',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
};
const IN_NAMESPACES = new Set(['Role', 'RoleBinding', 'ServiceAccount']);

/** Where objects like this one are made. */
export function collectionPath(object: Readonly<Record<string, unknown>>): string {
  const { apiVersion = '', kind = '', metadata } = object as unknown as KubeObject;
  const known = Object.entries(KINDS).find(([name]) => name === kind)?.[1];
  const plural = known?.plural ?? PLURALS[kind];
  if (plural === undefined) throw new Error(`expected a kind that the tests know, found ${kind}`);
  const isNamespaced = known?.isNamespaced ?? IN_NAMESPACES.has(kind);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isNamespaced
    ? `${root}/namespaces/${metadata.namespace ?? 'default'}/${plural}`
    : `${root}/${plural}`;
}
