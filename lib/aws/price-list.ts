/**
 * The type and the hourly price of one product of the price list; undefined where it has none that
 * is above 0. A product comes as JSON in a text.
 *
 * Source: AWS Price List API, GetProducts, PriceList.
 */
export function priceOfProduct(product: unknown): readonly [string, number] | undefined {
  const decoded: unknown = JSON.parse(String(product));
  const type = at(decoded, ['product', 'attributes', 'instanceType']);
  const prices = valuesOf(at(decoded, ['terms', 'OnDemand']))
    .flatMap((term) => valuesOf(at(term, ['priceDimensions'])))
    .flatMap((dimension) => valuesOf(at(dimension, ['pricePerUnit'])))
    .map(Number)
    .filter((price) => price > 0);
  const price = prices.at(-1);
  return typeof type === 'string' && price !== undefined ? [type, price] : undefined;
}

/** What stands under the keys, one in the other. */
const at = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inside, key) => fieldsOf(inside)[key], value);

const valuesOf = (value: unknown): readonly unknown[] => Object.values(fieldsOf(value));

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
