/** One request to the Kubernetes API server, as it crosses the seam. */
export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
  /** Of a watch: hears its lines until it has had enough. */
  readonly onLine?: (line: unknown) => 'more' | 'enough';
}

/** What the API server answers to it. */
export interface KubeAnswer {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body: unknown;
}

/** The two seams through which a function reaches the world, for the caller `actor`. */
export interface Seams {
  readonly kube: (actor: string) => (request: KubeCall) => Promise<KubeAnswer>;
  readonly aws: (actor: string) => (name: string, input: unknown) => Promise<unknown>;
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch' } as const;

/**
 * A request as Kubernetes' audit log would name it: verb, resource, subresource. "list pods",
 * "get leases", "watch pods", "patch nodeclaims/status", "create pods/eviction".
 *
 * Source: kubernetes, API concepts, Resource URIs; apiserver, request verbs.
 */
export function kubeCallName({ method, path, query }: KubeCall): string {
  const parts = path.split('/').filter(Boolean);
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  if (rest.length === 0) return `${method.toLowerCase()} ${path}`;
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = path, name, subresource] = inNamespace ? rest.slice(2) : rest;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${verbOf(method, name !== undefined, query?.watch !== undefined)} ${what}`;
}

function verbOf(method: KubeCall['method'], isNamed: boolean, isWatch: boolean): string {
  if (method === 'DELETE') return isNamed ? 'delete' : 'deletecollection';
  if (method !== 'GET') return VERBS[method];
  if (isWatch) return 'watch';
  return isNamed ? 'get' : 'list';
}
