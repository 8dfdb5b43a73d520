/**
 * The type and the hourly price of one product of the price list; undefined where it has none that
 * is above 0, or is not JSON in a text as products are: one of a thousand that cannot be read must
 * not take the others with it.
 *
 * Source: AWS Price List API, GetProducts, PriceList.
 */
export function priceOfProduct(product: unknown): readonly [string, number] | undefined {
  const decoded = parsed(String(product));
  const type = at(decoded, ['product', 'attributes', 'instanceType']);
  const prices = valuesOf(at(decoded, ['terms', 'OnDemand']))
    .flatMap((term) => valuesOf(at(term, ['priceDimensions'])))
    .flatMap((dimension) => valuesOf(at(dimension, ['pricePerUnit'])))
    .map(Number)
    .filter((price) => price > 0);
  const price = prices.at(-1);
  return typeof type === 'string' && price !== undefined ? [type, price] : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What stands under the keys, one in the other. */
const at = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inside, key) => fieldsOf(inside)[key], value);

const valuesOf = (value: unknown): readonly unknown[] => Object.values(fieldsOf(value));

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
