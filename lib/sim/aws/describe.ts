import { awsError, invalidValue } from './error.ts';
import {
  type Fields,
  optionalInteger,
  optionalText,
  optionalTexts,
  structures,
  type Tags,
  text,
} from './request.ts';

/** What a Describe call can be filtered by: values by filter name, and the item's tags. */
export interface Describable {
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly tags: Tags;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly NextToken?: string;
}

/**
 * The next page of `items` that pass the request's Filters. Filters are ANDed and their values
 * ORed; `*` and `?` are wildcards; a filter that no item knows is refused. A token says where in
 * the whole list the next page begins, so items that come later are at its end. An item that
 * `describableOf` says nothing of is not shown. O(n · filters).
 *
 * Source: EC2 API, Filter; Pagination.
 */
export function describePage<Item>(
  items: readonly Item[],
  input: Fields,
  describableOf: (item: Item) => Describable | undefined,
): Page<Item> {
  const filters = structures(input, 'Filters').map(filterOf);
  const limit = optionalInteger(input, 'MaxResults', [5, 1000]) ?? Number.POSITIVE_INFINITY;
  const found: Item[] = [];
  for (let index = startOf(input); index < items.length; index += 1) {
    const item = items[index] as Item;
    const describable = describableOf(item);
    if (describable === undefined || !passes(describable, filters)) continue;
    if (found.length === limit) return { items: found, NextToken: tokenOf(index) };
    found.push(item);
  }
  return { items: found };
}

/** The items named by the ids in `input[field]`; refused with `notFound` where one is not there. */
export function describeById<Item>(
  items: readonly Item[],
  ids: readonly string[],
  idOf: (item: Item) => string,
  notFound: (missing: readonly string[]) => Error,
): readonly Item[] {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0) throw notFound(missing);
  return items.filter((item) => ids.includes(idOf(item)));
}

interface Filter {
  readonly name: string;
  readonly patterns: readonly RegExp[];
}

function filterOf(fields: Fields): Filter {
  const values = optionalTexts(fields, 'Values') ?? [];
  return { name: text(fields, 'Name'), patterns: values.map(wildcard) };
}

/** A pattern with EC2's wildcards as one that matches whole texts. */
const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

const passes = (item: Describable, filters: readonly Filter[]): boolean =>
  filters.every(({ name, patterns }) => {
    const values = valuesOf(item, name);
    return patterns.some((pattern) => values.some((value) => pattern.test(value)));
  });

function valuesOf({ values, tags }: Describable, name: string): readonly string[] {
  if (name === 'tag-key') return Object.keys(tags);
  if (name.startsWith('tag:')) {
    const value = tags[name.slice('tag:'.length)];
    return value === undefined ? [] : [value];
  }
  const known = values[name];
  if (known === undefined) {
    throw awsError('InvalidParameterValue', `The filter '${name}' is invalid`);
  }
  return known;
}

const tokenOf = (index: number): string => Buffer.from(`from ${index}`).toString('base64url');

function startOf(input: Fields): number {
  const token = optionalText(input, 'NextToken');
  if (token === undefined) return 0;
  const [, digits] = /^from (\d+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (digits === undefined) throw invalidValue('NextToken', token);
  return Number(digits);
}
