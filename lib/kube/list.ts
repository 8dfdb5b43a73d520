import { KubeFailure, send } from './errors.ts';
import { group, list, wire, withDefault } from './field.ts';
import { type Kind, pathOf } from './kinds.ts';
import { text } from './scalar.ts';
import type { KubeTransport } from './transport.ts';

/** Objects a page. Small pages cost nothing and keep the heap low. */
const PAGE_SIZE = 500;
/** A list whose place expires this often is changing faster than it can be read. */
const MAX_STARTS = 3;

/** What to list: every object of a kind, or those that a selector takes. */
export interface Listing {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/**
 * Lists objects page by page; `reduce` makes of each page's items what shall be kept, so that the
 * JSON of one page at a time is in memory. When the API server has forgotten the place (410), what
 * was gathered is dropped and the list starts again. Throws KubeFailure.
 */
export async function listPages<Kept>(
  kube: KubeTransport,
  listing: Listing,
  reduce: (items: readonly unknown[]) => Kept,
): Promise<readonly Kept[]> {
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
): Promise<readonly Kept[]> {
  const { kind, namespace, fieldSelector, labelSelector } = listing;
  const path = pathOf(kind, namespace === undefined ? {} : { namespace });
  const pages: Kept[] = [];
  let next = '';
  do {
    const query = {
      limit: String(PAGE_SIZE),
      ...(next !== '' && { continue: next }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(labelSelector !== undefined && { labelSelector }),
    };
    const page = wire(await send(kube, { method: 'GET', path, query }));
    pages.push(reduce(list(page, 'items', (item) => item)));
    next = withDefault(group(page, 'metadata'), 'continue', '', text);
  } while (next !== '');
  return pages;
}

const isExpired = (error: unknown): boolean => error instanceof KubeFailure && error.status === 410;
