import { EVENTS_GROUP, type Resource } from './resources.ts';

/** What a path means: a kind, perhaps one object of it, perhaps a part of that. */
export interface Route {
  readonly resource: Resource;
  /** '' for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path is that of events.k8s.io/v1, so Events are told in its words. */
  readonly isNewEvents: boolean;
}

/** Finds kinds by group, version and plural. */
export type ResourceIndex = ReadonlyMap<string, Resource>;

/** An index for `routeOf`. */
export const indexResources = (resources: readonly Resource[]): ResourceIndex =>
  new Map(
    resources.map((resource) => [
      `${resource.group}/${resource.version}/${resource.plural}`,
      resource,
    ]),
  );

/** What `path` means; undefined where it means nothing. */
export function routeOf(index: ResourceIndex, path: string): Route | undefined {
  const [root, ...steps] = path
    .split('/')
    .filter((step) => step !== '')
    .map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (steps.shift() ?? '');
  const version = steps.shift() ?? '';
  const find = (plural: string | undefined): Resource | undefined =>
    group === EVENTS_GROUP && version === 'v1' && plural === 'events'
      ? index.get('/v1/events')
      : index.get(`${group}/${version}/${plural}`);
  const isNewEvents = group === EVENTS_GROUP;
  const nested = steps[0] === 'namespaces' ? find(steps[2]) : undefined;
  const [namespace, resource, rest] =
    nested?.namespaced === true
      ? [steps[1] ?? '', nested, steps.slice(3)]
      : ['', find(steps[0]), steps.slice(1)];
  if (resource === undefined || rest.length > 2) return undefined;
  if (resource.namespaced && namespace === '' && rest.length > 0) return undefined;
  return { resource, namespace, name: rest[0], subresource: rest[1], isNewEvents };
}
