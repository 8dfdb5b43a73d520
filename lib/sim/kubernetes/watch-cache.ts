/**
 * Watches: what happened since a version, and what happens from then on, as lines. As on a real API
 * server the history of a kind reaches back 75 seconds or 100 changes, whichever is more, and who
 * asks for more is told of an ERROR, code 410, in a stream that is otherwise in order. Simplified:
 * an API server is one process, its bookmarks always reach the present, and streams of initial
 * events (sendInitialEvents) are not served.
 */
import type { Clock, Instant } from '../clock.ts';
import { testOf } from './list.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { isRefusal, type Refusal } from './status.ts';
import type { Change, Store } from './store.ts';
import type { KubeObject } from './wire.ts';

/** Source: kubernetes v1.36, storage/cacher, DefaultEventFreshDuration, defaultLowerBoundCapacity. */
const HISTORY = { ms: 75_000, least: 100 };
/** Source: kubernetes v1.36, storage/cacher/cache_watcher.go, nextBookmarkTime. */
const BOOKMARK = { everyMs: 60_000, beforeEndMs: 2_000 };
/** How long a watch lasts where it does not say. Source: kubernetes, --min-request-timeout. */
const USUAL_SECONDS = 1_800;

/** What is watched: a kind, perhaps in one namespace, and the request's query. */
interface WatchRequest {
  readonly resource: Resource;
  readonly namespace: string;
  readonly query: Readonly<Record<string, string>>;
  /** Puts a stored object into the words of the path that was asked. */
  readonly wordsOf: (object: KubeObject) => unknown;
}

/** Who hears the lines of a watch, and that it has ended. */
export interface WatchListener {
  readonly line: (line: unknown) => void;
  readonly end: () => void;
}

/** The history of all kinds, and those who follow it. */
export interface WatchCache {
  /** Begins a watch; gives the way to end it, or why there is none. */
  readonly follow: (request: WatchRequest, listener: WatchListener) => (() => void) | Refusal;
}

interface Past {
  readonly at: Instant;
  readonly version: number;
  readonly change: Change;
}

interface KindHistory {
  readonly past: Past[];
  /** The version of the last change that was dropped. */
  droppedUpTo: number;
  readonly followers: Set<(past: Past) => void>;
}

/** A watch cache that remembers what is written to `store` from now on. */
export function createWatchCache(store: Store, clock: Clock): WatchCache {
  const histories = new Map<string, KindHistory>();
  const begunAt = store.resourceVersion();
  const historyOf = (kind: string): KindHistory => {
    const found = histories.get(kind);
    if (found !== undefined) return found;
    const history = { past: [], droppedUpTo: begunAt, followers: new Set<never>() };
    histories.set(kind, history);
    return history;
  };
  store.onChange((change) => {
    const history = historyOf(change.object.kind);
    const past = { at: clock.now(), version: store.resourceVersion(), change };
    history.past.push(past);
    forget(history, clock.now());
    for (const follow of history.followers) follow(past);
  });
  return {
    follow: (request, listener) => {
      const test = testOf(request.resource, request.namespace, request.query);
      if (isRefusal(test)) return test;
      const history = historyOf(request.resource.kind);
      return follow({ store, clock, history, test }, request, listener);
    },
  };
}

function forget(history: KindHistory, now: Instant): void {
  const { past } = history;
  let old = 0;
  while (past.length - old > HISTORY.least && (past[old]?.at ?? now) < now - HISTORY.ms) old += 1;
  if (old === 0) return;
  history.droppedUpTo = past[old - 1]?.version ?? history.droppedUpTo;
  past.splice(0, old);
}

interface Following {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: KindHistory;
  readonly test: (object: KubeObject) => boolean;
}

function follow(
  { store, clock, history, test }: Following,
  { resource, query, wordsOf }: WatchRequest,
  { line, end }: WatchListener,
): () => void {
  const since = Number(query.resourceVersion || '0');
  let isOver = false;
  const tell = (type: string, object: unknown): void => {
    if (!isOver) line({ type, object });
  };
  const hear = ({ version, change }: Past): void => {
    const type = typeSeen(change, test);
    if (type !== undefined && version > since) tell(type, wordsOf(versioned(change, version)));
  };
  const bookmark = (): void => {
    const metadata = { resourceVersion: String(store.resourceVersion()) };
    tell('BOOKMARK', { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata });
  };
  const lastsMs = Number(query.timeoutSeconds ?? USUAL_SECONDS) * 1_000;
  const timers = [
    clock.after(lastsMs, () => stop()),
    ...bookmarkTimes(query, lastsMs).map((at) => clock.after(at, bookmark)),
  ];
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    history.followers.delete(hear);
    for (const timer of timers) timer.cancel();
    end();
  };
  if (since === 0) {
    for (const object of store.list(resource.kind).filter(test)) tell('ADDED', wordsOf(object));
  } else if (since < history.droppedUpTo) {
    tell('ERROR', tooOld(since, history.droppedUpTo));
    stop();
    return stop;
  } else {
    for (const past of history.past) hear(past);
  }
  history.followers.add(hear);
  return stop;
}

/** When a watch that lasts so long is told how far it has come, counted from its beginning. */
function bookmarkTimes(query: WatchRequest['query'], lastsMs: number): readonly number[] {
  const { everyMs, beforeEndMs } = BOOKMARK;
  if (query.allowWatchBookmarks !== 'true' && query.allowWatchBookmarks !== '1') return [];
  const times = Array.from(
    { length: Math.floor(lastsMs / everyMs) },
    (_, at) => (at + 1) * everyMs,
  );
  return [...times, lastsMs - beforeEndMs].filter((at) => at > 0 && at < lastsMs);
}

/** An object that comes to be selected is new to who watches, one that no longer is has gone. */
function typeSeen(
  { type, object, old }: Change,
  test: (object: KubeObject) => boolean,
): string | undefined {
  const was = type !== 'added' && old !== undefined && test(old);
  const is = type !== 'deleted' && test(object);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}

/** A deleted object bears the version of its deletion. */
const versioned = ({ object }: Change, version: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version) },
});

const tooOld = (since: number, oldest: number) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `too old resource version: ${since} (${oldest})`,
  reason: 'Expired',
  code: 410,
});
