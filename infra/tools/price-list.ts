/** What instance types cost: USD an hour, spot by zone. */
export interface Prices {
  /** YYYY-MM-DD. */
  readonly pricedAt: string;
  readonly spotPricesAreEstimates: boolean;
  readonly onDemandUsd: Readonly<Record<string, number>>;
  readonly spotUsd: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** One record of `aws ec2 describe-spot-price-history`. */
export interface SpotPrice {
  readonly InstanceType: string;
  readonly AvailabilityZone: string;
  readonly SpotPrice: string;
  /** ISO 8601. */
  readonly Timestamp: string;
}

/** What a product must be to be a Linux machine that is paid by the hour. */
const LINUX_BY_THE_HOUR: Readonly<Record<string, string>> = {
  TermType: 'OnDemand',
  'Operating System': 'Linux',
  'Pre Installed S/W': 'NA',
  CapacityStatus: 'Used',
};
/** Bare metal is listed as dedicated, whatever tenancy it is launched with. */
const TENANCY_OF: ReadonlyMap<string, string> = new Map([
  ['Compute Instance', 'Shared'],
  ['Compute Instance (bare metal)', 'Dedicated'],
]);

/**
 * The on-demand prices of one region's EC2 price list, read line by line: the file is larger than
 * a text may be. Prices of 0 are not prices.
 *
 * Source: AWS Price List, bulk API, offer file in CSV; karpenter AWS provider v1.14,
 * providers/pricing/pricing.go, for which products count.
 */
export async function onDemandPrices(
  lines: AsyncIterable<string>,
): Promise<Pick<Prices, 'pricedAt' | 'onDemandUsd'>> {
  const onDemandUsd: Record<string, number> = {};
  let pricedAt = '';
  let columns: readonly string[] = [];
  for await (const line of lines) {
    const cells = cellsOf(line);
    const [first = '', second = ''] = cells;
    if (first === 'SKU') columns = cells;
    if (first === 'Publication Date') pricedAt = second.slice(0, 10);
    const price = priceOf(columns, cells);
    if (price !== undefined) onDemandUsd[price.type] = price.usdPerHour;
  }
  if (columns.length === 0) throw new Error('price list: expected a line of columns, found none');
  return { pricedAt, onDemandUsd };
}

/** The latest spot price of each type in each zone. */
export function spotPrices(history: readonly SpotPrice[]): Prices['spotUsd'] {
  const oldestFirst = [...history].sort((a, b) => (a.Timestamp < b.Timestamp ? -1 : 1));
  const byType: Record<string, Record<string, number>> = {};
  for (const { InstanceType, AvailabilityZone, SpotPrice } of oldestFirst) {
    byType[InstanceType] = { ...byType[InstanceType], [AvailabilityZone]: Number(SpotPrice) };
  }
  return byType;
}

function priceOf(
  columns: readonly string[],
  cells: readonly string[],
): { readonly type: string; readonly usdPerHour: number } | undefined {
  const cell = (column: string): string => cells[columns.indexOf(column)] ?? '';
  const isOurs = Object.entries(LINUX_BY_THE_HOUR).every(
    ([column, value]) => cell(column) === value,
  );
  const tenancy = TENANCY_OF.get(cell('Product Family'));
  const usdPerHour = Number(cell('PricePerUnit'));
  if (!isOurs || tenancy !== cell('Tenancy') || !(usdPerHour > 0)) return undefined;
  return { type: cell('Instance Type'), usdPerHour };
}

/** The cells of a line in which every cell is quoted and "" is a quotation mark. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell.replaceAll('""', '"'));
