import { group, list, type Wire, wire, withDefault } from '#lib/kube/decode/field.ts';
import { text } from '#lib/kube/decode/scalar.ts';
import { KubeFailure, send } from './errors.ts';
import { type Kind, pathOf } from './kinds.ts';
import type { KubeTransport } from './transport.ts';

/** Objects a page. Small pages cost nothing and keep the heap low. */
const PAGE_SIZE = 500;
/** A list whose place expires this often is changing faster than it can be read. */
const MAX_STARTS = 3;

/** What was kept of each page, and the version of all objects together that the pages show. */
export interface Listed<Kept> {
  readonly pages: readonly Kept[];
  readonly resourceVersion: string;
}

/** What to list: every object of a kind, or those that a selector takes. */
export interface Listing {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/**
 * Lists objects page by page; `reduce` makes of each page's items what shall be kept, so that the
 * JSON of two pages at most is in memory: the next is on its way while one is reduced. When the API server has forgotten the place (410), what
 * was gathered is dropped and the list starts again. Throws KubeFailure.
 */
export async function listPages<Kept>(
  kube: KubeTransport,
  listing: Listing,
  reduce: (items: readonly unknown[]) => Kept,
): Promise<Listed<Kept>> {
  for (let start = 1; ; start += 1) {
    try {
      return await readPages(kube, listing, reduce);
    } catch (error) {
      if (!isExpired(error) || start === MAX_STARTS) throw error;
    }
  }
}

/**
 * Hands each listed object to `take`, in the API server's order, a page at a time; some twice when
 * the list had to start again. Throws KubeFailure.
 */
export async function listAll(
  kube: KubeTransport,
  listing: Listing,
  take: (item: unknown) => void,
): Promise<void> {
  await listPages(kube, listing, (items) => {
    for (const item of items) take(item);
  });
}

async function readPages<Kept>(
  kube: KubeTransport,
  listing: Listing,
  reduce: (items: readonly unknown[]) => Kept,
): Promise<Listed<Kept>> {
  const pages: Kept[] = [];
  let coming = readPage(kube, listing, '');
  for (;;) {
    const page = await coming;
    const meta = group(page, 'metadata');
    const next = withDefault(meta, 'continue', '', text);
    if (next !== '') coming = readPage(kube, listing, next);
    // Where reducing throws, nobody awaits the page that is on its way.
    coming.catch(() => undefined);
    pages.push(reduce(list(page, 'items', (item) => item)));
    if (next === '') {
      return { pages, resourceVersion: withDefault(meta, 'resourceVersion', '', text) };
    }
  }
}

async function readPage(kube: KubeTransport, listing: Listing, next: string): Promise<Wire> {
  const { kind, namespace, fieldSelector, labelSelector } = listing;
  const path = pathOf(kind, namespace === undefined ? {} : { namespace });
  const query = {
    limit: String(PAGE_SIZE),
    ...(next !== '' && { continue: next }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
  return wire(await send(kube, { method: 'GET', path, query }));
}

/**
 * The version of all objects together at this moment: whatever was written to one of this kind
 * before bears no later one. Throws KubeFailure. Source: kubernetes, API concepts, consistent reads.
 */
export async function presentVersion(kube: KubeTransport, kind: Kind): Promise<string> {
  const query = { limit: '1' };
  const page = wire(await send(kube, { method: 'GET', path: pathOf(kind), query }));
  return withDefault(group(page, 'metadata'), 'resourceVersion', '', text);
}

const isExpired = (error: unknown): boolean => error instanceof KubeFailure && error.status === 410;
