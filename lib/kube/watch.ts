import { group, required, wire, withDefault } from '#lib/kube/decode/field.ts';
import { text } from '#lib/kube/decode/scalar.ts';
import { send } from './errors.ts';
import { type Kind, pathOf } from './kinds.ts';
import type { KubeTransport } from './transport.ts';

/** One event of a watch; a bookmark says only how far the watch has come. */
export type Watched =
  | { readonly type: 'put' | 'deleted'; readonly object: unknown; readonly resourceVersion: string }
  | { readonly type: 'bookmark'; readonly resourceVersion: string };

/**
 * How a watch came to its end: who watched had enough; the API server ended it, which says nothing
 * about what is still to come; or it told of an error (its history does not reach back that far,
 * as a rule), so that only a list helps.
 */
export type WatchEnd = 'enough' | 'ended' | 'broken';

/**
 * A watch of so many seconds gets a bookmark after one of them, two seconds being kept before its
 * end. Source: kubernetes v1.36, storage/cacher/cache_watcher.go, nextBookmarkTime.
 */
const WATCH_SECONDS = 3;

const TYPES: Readonly<Record<string, Watched['type']>> = {
  ADDED: 'put',
  MODIFIED: 'put',
  DELETED: 'deleted',
  BOOKMARK: 'bookmark',
};

/**
 * Hands what happened to objects of `kind` since `resourceVersion` to `take`, in order, until it
 * has had enough or some seconds have passed. Throws KubeFailure where the connection breaks.
 *
 * Source: kubernetes, API concepts, efficient detection of changes; a history that was dropped
 * comes as an event ERROR, code 410, in an answer of status 200.
 */
export async function watchSince(
  kube: KubeTransport,
  { kind, resourceVersion }: { readonly kind: Kind; readonly resourceVersion: string },
  take: (event: Watched) => 'more' | 'enough',
): Promise<WatchEnd> {
  let end: WatchEnd = 'ended';
  await send(kube, {
    method: 'GET',
    path: pathOf(kind),
    query: {
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(WATCH_SECONDS),
    },
    onLine: (line) => {
      const event = decodeEvent(line);
      if (event === undefined) end = 'broken';
      else if (take(event) === 'enough') end = 'enough';
      return end === 'ended' ? 'more' : 'enough';
    },
  });
  return end;
}

/** The event of a line; undefined for an ERROR, and for what a later API server may add. */
function decodeEvent(line: unknown): Watched | undefined {
  const event = wire(line);
  const type = TYPES[withDefault(event, 'type', '', text)];
  if (type === undefined) return undefined;
  const object = required(event, 'object', wire);
  const resourceVersion = withDefault(group(object, 'metadata'), 'resourceVersion', '', text);
  return type === 'bookmark' ? { type, resourceVersion } : { type, object, resourceVersion };
}
