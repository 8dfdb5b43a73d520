import {
  identityOf,
  type Reduced,
  reduceObject,
  type SnapshotKind,
} from '#lib/kube/decode/decode.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import { listPages, presentVersion } from '#lib/kube/list.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import { type Watched, watchSince } from '#lib/kube/watch.ts';

/** All objects of a kind, as they were at one version. What is in it changes as a watch tells. */
export interface KeptKind {
  readonly objects: Map<string, Reduced>;
  resourceVersion: string;
  /** The API server's bookmarks do not reach the present, so that a quiet kind cannot be watched. */
  bookmarksLag?: boolean;
}

/** Streams that may end early, one after the other, before a list is thought surer. */
const MAX_STREAMS = 4;

/**
 * Lists a kind anew, page by page. An object that is as it was when it was `kept` stays the very
 * same, so that what is known of it stays known. Throws KubeFailure.
 */
export async function listKind(
  kube: KubeTransport,
  kind: SnapshotKind,
  kept?: KeptKind,
): Promise<KeptKind> {
  const { pages, resourceVersion } = await listPages(kube, { kind }, (items) =>
    items.map((item) => [keyOf(item), reduceAgain(kind, item, kept)] as const),
  );
  const lag = kept?.bookmarksLag === true && { bookmarksLag: true };
  return { objects: new Map(pages.flat()), resourceVersion, ...lag };
}

/**
 * Brings `kept` to the present by what happened since, and tells whether it is there: whether every
 * write up to the start of this call has been seen, which neither the end of a stream nor silence
 * proves, but only an event or a bookmark at the present version. Whatever it came to, `kept` shows
 * one moment of the cluster. Throws KubeFailure.
 */
export async function catchUp(
  kube: KubeTransport,
  kind: SnapshotKind,
  kept: KeptKind,
): Promise<boolean> {
  const present = versionOf(await presentVersion(kube, kind));
  // A version from the future: another etcd, or one that was restored.
  if (!(versionOf(kept.resourceVersion) <= present)) return false;
  for (let stream = 1; stream <= MAX_STREAMS; stream += 1) {
    if (versionOf(kept.resourceVersion) >= present) return true;
    const before = kept.resourceVersion;
    const end = await watchOnce(kube, kind, kept, present);
    if (end === 'broken' || kept.bookmarksLag === true) break;
    if (end === 'ended' && kept.resourceVersion === before) break;
  }
  return versionOf(kept.resourceVersion) >= present;
}

async function watchOnce(
  kube: KubeTransport,
  kind: SnapshotKind,
  kept: KeptKind,
  present: number,
): Promise<'enough' | 'ended' | 'broken' | 'cut'> {
  const since = { kind, resourceVersion: kept.resourceVersion };
  try {
    return await watchSince(kube, since, (event) => {
      note(kept, kind, event);
      if (versionOf(kept.resourceVersion) >= present) return 'enough';
      if (event.type !== 'bookmark') return 'more';
      kept.bookmarksLag = true;
      return 'enough';
    });
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error;
    // Cut off, it goes on from the last event; a history that is too old is an answer, too.
    return error.kind === 'notNow' ? 'cut' : 'broken';
  }
}

function note(kept: KeptKind, kind: SnapshotKind, event: Watched): void {
  kept.resourceVersion = event.resourceVersion;
  if (event.type === 'put') {
    kept.objects.set(keyOf(event.object), reduceObject(kind, event.object));
  } else if (event.type === 'deleted') {
    kept.objects.delete(keyOf(event.object));
  }
}

function reduceAgain(kind: SnapshotKind, item: unknown, kept: KeptKind | undefined): Reduced {
  const known = kept?.objects.get(keyOf(item));
  return known !== undefined && isSame(known, item) ? known : reduceObject(kind, item);
}

/** One version of one object, whoever holds it. */
function isSame(known: Reduced, item: unknown): boolean {
  if (!('decoded' in known) || !('meta' in known.decoded)) return false;
  const { uid, resourceVersion } = known.decoded.meta;
  const found = identityOf(item);
  return uid === found.uid && resourceVersion !== '' && resourceVersion === found.resourceVersion;
}

function keyOf(item: unknown): string {
  const { namespace, name } = identityOf(item);
  return `${namespace}/${name}`;
}

/**
 * Versions compare as numbers; what is none compares with nothing. Source: kubernetes v1.36, API
 * concepts, resource versions.
 */
const versionOf = (resourceVersion: string): number =>
  /^\d+$/.test(resourceVersion) ? Number(resourceVersion) : Number.NaN;
