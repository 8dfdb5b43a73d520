/**
 * The Kubernetes API as a function of requests: paths to registry calls, answers to status codes.
 * Not served: server-side apply, discovery, tables and metadata-only lists, scale
 * subresources, authentication and authorization (every actor may do everything).
 */
import { bindPod } from './binding.ts';
import { deleteOptionsOf } from './deletion.ts';
import { toNewEvent, toStoredEvent } from './event-faces.ts';
import { evictPod } from './eviction.ts';
import { isRecord, overTheWire, recordAt, textAt } from './json.ts';
import { createLister, type Lister, listBody } from './list.ts';
import { applyPatch } from './patch.ts';
import type { Registry, WriteOptions } from './registry.ts';
import type { Resource } from './resources.ts';
import { indexResources, type ResourceIndex, type Route, routeOf } from './routes.ts';
import {
  badRequest,
  invalid,
  invalidValue,
  isRefusal,
  noSuchResource,
  notFound,
  type Refusal,
  refusal,
  statusBody,
} from './status.ts';
import { isPod } from './store.ts';
import { createWatchCache, type WatchCache, type WatchListener } from './watch-cache.ts';
import type { KubeObject } from './wire.ts';

/** A request as the transport brings it. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: unknown;
  /** Of a watch: hears its lines until it has had enough. */
  readonly onLine?: (line: unknown) => 'more' | 'enough';
}

/** What the API server answers. Bodies are frozen: they are the stored objects themselves. */
export interface ApiResponse {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body: unknown;
}

/** The API server as a network would meet it: a request in, an answer out, at once. */
export interface ApiServer {
  readonly answer: (actor: string, request: ApiRequest) => ApiResponse;
  /** Begins a watch and gives the way to end it, or the answer that refuses it. */
  readonly watch: (request: ApiRequest, listener: WatchListener) => (() => void) | ApiResponse;
  /** What statistics and faults call a request: "list pods", "patch nodeclaims/status". */
  readonly nameOf: (request: ApiRequest) => string;
}

interface Served {
  readonly registry: Registry;
  readonly lister: Lister;
  readonly index: ResourceIndex;
  readonly watches: WatchCache;
  readonly version: string;
}

/** A server of `resources` over `registry`. */
export function createApiServer(
  registry: Registry,
  resources: readonly Resource[],
  version: string,
): ApiServer {
  const served = {
    registry,
    lister: createLister(registry.store),
    index: indexResources(resources),
    watches: createWatchCache(registry.store, registry.clock),
    version,
  };
  return {
    answer: (actor, request) => {
      const answer = serve(served, actor, { ...request, body: overTheWire(request.body) });
      return isRefusal(answer) ? refused(answer) : answer;
    },
    watch: (request, listener) => {
      const began = watch(served, request, listener);
      return isRefusal(began) ? refused(began) : began;
    },
    nameOf: (request) => nameOf(served.index, request),
  };
}

const refused = (refusal: Refusal): ApiResponse => ({
  status: refusal.status,
  ...(refusal.retryAfterSeconds !== undefined && { retryAfterSeconds: refusal.retryAfterSeconds }),
  body: statusBody(refusal),
});

function watch(
  { index, watches }: Served,
  { path, query = {} }: ApiRequest,
  listener: WatchListener,
): (() => void) | Refusal {
  const route = routeOf(index, path);
  if (route === undefined || route.name !== undefined) return noSuchResource();
  const { resource, namespace, isNewEvents } = route;
  const wordsOf = isNewEvents ? toNewEvent : (object: KubeObject) => object;
  return watches.follow({ resource, namespace, query, wordsOf }, listener);
}

/** Whether a request asks for a stream. */
export const isWatch = ({ query }: ApiRequest): boolean =>
  query?.watch === '1' || query?.watch === 'true';

function nameOf(index: ResourceIndex, { method, path, query }: ApiRequest): string {
  const route = routeOf(index, path);
  if (route === undefined) return `${method.toLowerCase()} ${path}`;
  const part = route.subresource === undefined ? '' : `/${route.subresource}`;
  const verb = isWatch({ method, path, ...(query && { query }) }) ? 'watch' : verbOf(method, route);
  return `${verb} ${route.resource.plural}${part}`;
}

function verbOf(method: ApiRequest['method'], { name }: Route): string {
  if (method === 'GET') return name === undefined ? 'list' : 'get';
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  return { POST: 'create', PUT: 'update', PATCH: 'patch' }[method];
}

function serve(served: Served, actor: string, request: ApiRequest): ApiResponse | Refusal {
  if (request.method === 'GET' && request.path === '/version') return versionOf(served.version);
  const route = routeOf(served.index, request.path);
  if (route === undefined) return noSuchResource();
  const dryRun = dryRunOf(request);
  const { fieldManager } = request.query ?? {};
  const options = { actor, dryRun, ...(fieldManager !== undefined && { fieldManager }) };
  if (route.name === undefined) return serveCollection(served, route, request, options);
  const { resource, namespace, name } = route;
  const current = served.registry.store.get(resource.kind, namespace, name);
  if (current === undefined) return notFound(resource, name);
  return serveObject(served, { ...route, current }, request, options);
}

const versionOf = (version: string): ApiResponse => {
  const [major = '', minor = ''] = version.split('.');
  return {
    status: 200,
    body: { major, minor, gitVersion: `v${version}.0`, platform: 'linux/amd64' },
  };
};

function dryRunOf({ query, body }: ApiRequest): boolean {
  const asked =
    recordAt(body, 'deleteOptions').dryRun ?? (isRecord(body) ? body.dryRun : undefined);
  return query?.dryRun === 'All' || (Array.isArray(asked) && asked.includes('All'));
}

function serveCollection(
  { registry, lister }: Served,
  route: Route,
  request: ApiRequest,
  options: WriteOptions,
): ApiResponse | Refusal {
  const { resource, namespace } = route;
  const page = (): ReturnType<Lister['page']> =>
    lister.page(resource, namespace, request.query ?? {}, registry.clock.now());
  switch (request.method) {
    case 'GET':
      return isWatch(request) ? unheard() : listOf(route, page());
    case 'POST': {
      const body = route.isNewEvents ? toStoredEvent(request.body) : request.body;
      const wrong = kindMismatch(resource, body, route.isNewEvents);
      if (wrong !== undefined) return wrong;
      return told(route, 201, registry.create(resource, namespace, body, options));
    }
    case 'DELETE': {
      const doomed = page();
      if (isRefusal(doomed)) return doomed;
      const ask = deleteOptionsOf(request);
      for (const object of doomed.items) registry.remove(resource, object, ask, options);
      return listOf(route, doomed);
    }
    case 'PUT':
    case 'PATCH':
      return methodNotAllowed();
  }
}

function listOf(route: Route, page: ReturnType<Lister['page']>): ApiResponse | Refusal {
  if (isRefusal(page)) return page;
  const { resource, isNewEvents } = route;
  if (!isNewEvents) return { status: 200, body: listBody(resource, page) };
  const renamed = { ...resource, group: 'events.k8s.io' };
  return { status: 200, body: listBody(renamed, page, toNewEvent) };
}

const unheard = (): Refusal => badRequest('a watch needs somebody who hears its lines');
const methodNotAllowed = (): Refusal =>
  refusal(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  );

function kindMismatch(
  resource: Resource,
  body: unknown,
  isNewEvents: boolean,
): Refusal | undefined {
  const kind = textAt(body, 'kind') ?? resource.kind;
  const group = (textAt(body, 'apiVersion') ?? '').split('/').slice(0, -1).join('/');
  const expected = isNewEvents ? 'events.k8s.io' : resource.group;
  const isStated = textAt(body, 'apiVersion') !== undefined;
  if (kind === resource.kind && (!isStated || group === expected)) return undefined;
  return badRequest(
    `${textAt(body, 'apiVersion')} ${kind} cannot be handled as a ${resource.kind} of ${expected === '' ? 'v1' : expected}`,
  );
}

/** An answer about one object, in the words of the path's group. */
function told(route: Route, status: number, answer: KubeObject | Refusal): ApiResponse | Refusal {
  if (isRefusal(answer)) return answer;
  return { status, body: route.isNewEvents ? toNewEvent(answer) : answer };
}

type Target = Route & { readonly current: KubeObject };

function serveObject(
  { registry }: Served,
  target: Target,
  request: ApiRequest,
  options: WriteOptions,
): ApiResponse | Refusal {
  const { current, resource, subresource } = target;
  const isPart = subresource !== undefined && !(subresource === 'status' && resource.hasStatus);
  if (isPart && request.method !== 'POST') return noSuchResource();
  switch (request.method) {
    case 'POST':
      return servePodPart(registry, target, request, options);
    case 'GET':
      return told(target, 200, current);
    case 'PUT':
    case 'PATCH':
      return told(target, 200, change(registry, target, request, options));
    case 'DELETE':
      return told(
        target,
        200,
        registry.remove(resource, current, deleteOptionsOf(request), options),
      );
  }
}

function change(
  registry: Registry,
  { current, resource, subresource, isNewEvents }: Target,
  { method, contentType = 'application/json', body }: ApiRequest,
  options: WriteOptions,
): KubeObject | Refusal {
  const part = subresource === 'status' ? { subresource: 'status' as const } : {};
  const seen = isNewEvents ? toNewEvent(current) : current;
  const proposed =
    method === 'PATCH' ? applyPatch({ ...seen }, body, contentType, resource.custom) : body;
  if (isRefusal(proposed)) return proposed;
  const stored = isNewEvents ? toStoredEvent(proposed) : proposed;
  if (!isRecord(stored)) return badRequest('the body is not a JSON object');
  const version = textAt(recordAt(stored, 'metadata'), 'resourceVersion') ?? '';
  if (method === 'PUT' && version === '' && needsVersion(resource)) {
    const because = 'must be specified for an update';
    return invalid(resource, current.metadata.name, [
      invalidValue('metadata.resourceVersion', 0, because),
    ]);
  }
  const by = method === 'PATCH' ? 'patch' : 'put';
  return registry.update(resource, current, stored, { ...options, ...part, by });
}

const needsVersion = ({ custom, kind }: Resource): boolean => custom || kind === 'Lease';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function servePodPart(
  registry: Registry,
  { current, subresource }: Target,
  request: ApiRequest,
  options: WriteOptions,
): ApiResponse | Refusal {
  if (!isPod(current) || subresource === undefined) return methodNotAllowed();
  if (subresource === 'eviction') {
    const evicted = evictPod(registry, current, deleteOptionsOf(request), options);
    return isRefusal(evicted) ? evicted : { status: 201, body: SUCCESS };
  }
  if (subresource !== 'binding') return noSuchResource();
  const nodeName = textAt(recordAt(request.body, 'target'), 'name') ?? '';
  if (nodeName === '') return badRequest('target.name: Required value');
  const uid = textAt(recordAt(request.body, 'metadata'), 'uid');
  const ask = { nodeName, ...(uid === undefined ? {} : { uid }) };
  const bound = bindPod(registry, current, ask, options);
  return isRefusal(bound) ? bound : { status: 201, body: SUCCESS };
}
