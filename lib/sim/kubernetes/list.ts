/**
 * Lists: selectors, pages, and the consistency of their continue tokens. The pages of one list
 * show the objects of one instant; a token is good for TOKEN_LIFE_MS and is then refused with 410
 * and another token that goes on with what is there by then.
 */
import type { Instant } from '../clock.ts';
import { fieldTest, labelTest, type ObjectTest } from './query-selectors.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { badRequest, isRefusal, type Refusal } from './status.ts';
import type { Store } from './store.ts';
import type { KubeObject } from './wire.ts';

/** etcd compacts every 5 minutes and a token outlives one compaction, so 5 to 10 minutes. */
const TOKEN_LIFE_MS = 450_000;

/** What a list may ask for. */
interface ListQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: string;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

/** A page of a list. */
export interface Page {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
  readonly continueToken: string;
  readonly remaining: number;
}

/** Answers list requests; remembers what its continue tokens stand for. */
export interface Lister {
  readonly page: (
    resource: Resource,
    namespace: string,
    query: ListQuery,
    now: Instant,
  ) => Page | Refusal;
}

interface Listing {
  readonly takenAt: Instant;
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
}

/** A lister over `store`. */
export function createLister(store: Store): Lister {
  const listings = new Map<number, Listing>();
  let taken = 0;

  const remember = (listing: Listing): number => {
    for (const [id, { takenAt }] of listings) {
      if (listing.takenAt - takenAt > TOKEN_LIFE_MS) listings.delete(id);
    }
    taken += 1;
    listings.set(taken, listing);
    return taken;
  };

  const page: Lister['page'] = (resource, namespace, query, now) => {
    const test = testOf(resource, namespace, query);
    if (isRefusal(test)) return test;
    const version = String(store.resourceVersion());
    const fresh = (): Listing => ({
      takenAt: now,
      resourceVersion: version,
      items: store.list(resource.kind).filter(test),
    });
    const limit = limitOf(query);
    const token = readToken(query.continue);
    if (token === 'unreadable') return badRequest('continue key is not valid');
    if (token === undefined) {
      const listing = fresh();
      const id = limit < listing.items.length ? remember(listing) : 0;
      return cut(listing, { id, from: 0, limit });
    }
    const listing = listings.get(token.id);
    if (listing !== undefined && now - listing.takenAt <= TOKEN_LIFE_MS) {
      return cut(listing, { id: token.id, from: token.from, limit });
    }
    const rest = fresh();
    const items = rest.items.filter((object) => keyOf(object) > token.after);
    const id = remember({ ...rest, items });
    return expired(writeToken({ id, from: 0, after: token.after }));
  };
  return { page };
}

/** The test that a list or a watch puts to each object; 400 where its selectors do not parse. */
export function testOf(
  resource: Resource,
  namespace: string,
  query: Pick<ListQuery, 'labelSelector' | 'fieldSelector'>,
): ObjectTest | Refusal {
  const byLabel = labelTest(query.labelSelector ?? '');
  if (isRefusal(byLabel)) return byLabel;
  const byField = fieldTest(query.fieldSelector ?? '', resource.kind);
  if (isRefusal(byField)) return byField;
  return (object) =>
    (namespace === '' || object.metadata.namespace === namespace) &&
    byLabel(object) &&
    byField(object);
}

/** A list of resourceVersion 0 comes from the cache whole, whatever the limit. */
function limitOf({ limit, resourceVersion }: ListQuery): number {
  const asked = Number(limit ?? 0);
  const isPaged = Number.isInteger(asked) && asked > 0 && resourceVersion !== '0';
  return isPaged ? asked : Number.POSITIVE_INFINITY;
}

interface Cut {
  readonly id: number;
  readonly from: number;
  readonly limit: number;
}

function cut({ items, resourceVersion }: Listing, { id, from, limit }: Cut): Page {
  const shown = items.slice(from, from + limit);
  const remaining = items.length - from - shown.length;
  const last = shown.at(-1);
  const continueToken =
    remaining <= 0 || last === undefined
      ? ''
      : writeToken({ id, from: from + shown.length, after: keyOf(last) });
  return { resourceVersion, items: shown, continueToken, remaining };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

interface Token {
  readonly id: number;
  readonly from: number;
  readonly after: string;
}

const writeToken = ({ id, from, after }: Token): string => btoa(`${id} ${from} ${after}`);

function readToken(text: string | undefined): Token | 'unreadable' | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[A-Za-z0-9+/]+=*$/.test(text) || text.length % 4 !== 0) return 'unreadable';
  const [, id, from, after] = /^(\d+) (\d+) (.*)$/.exec(atob(text)) ?? [];
  return after === undefined ? 'unreadable' : { id: Number(id), from: Number(from), after };
}

const expired = (continueToken: string): Refusal => ({
  refused: true,
  status: 410,
  reason: 'Expired',
  message:
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.',
  continueToken,
});

const bare = new WeakMap<KubeObject, unknown>();

/** A page as a list object. Items of built-in kinds carry no kind and no apiVersion. */
export function listBody(resource: Resource, page: Page, itemOf = wireItem): unknown {
  const { continueToken, remaining } = page;
  return {
    kind: `${resource.kind}List`,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: page.resourceVersion,
      ...(continueToken === '' ? {} : { continue: continueToken, remainingItemCount: remaining }),
    },
    items: page.items.map((object) => (resource.custom ? object : itemOf(object))),
  };
}

function wireItem(object: KubeObject): unknown {
  const known = bare.get(object);
  if (known !== undefined) return known;
  const { kind: _, apiVersion: __, ...item } = object;
  bare.set(object, Object.freeze(item));
  return item;
}
