/**
 * Writes the EC2 table that Joinery ships, from answers that were recorded as files:
 *
 *   aws ec2 describe-instance-types > types.json
 *   aws ec2 describe-instance-type-offerings --location-type availability-zone > offerings.json
 *   aws ec2 describe-availability-zones > zones.json
 *   aws ec2 describe-spot-price-history --start-time now --product-descriptions Linux/UNIX > spot.json
 *   (the region's offer file of AmazonEC2 as CSV, from the AWS Price List bulk API) > prices.csv
 *   node infra/tools/refresh-ec2-table.ts --region us-east-1 --types types.json \
 *     --offerings offerings.json --zones zones.json --price-list prices.csv --spot-history spot.json \
 *     --limits limits.json
 *
 * In place of --price-list and --spot-history, --prices prices.json gives both: { pricedAt,
 * spotPricesAreEstimates, onDemandUsd: { "m5.large": 0.096 }, spotUsd: { "m5.large": {
 * "us-east-1a": 0.0321 } } }. limits.json is what EC2 does not answer: { "m5.large": {
 * "networkMbps": 750, "branchInterfaces": 9 } }. A region whose prices are not at hand takes
 * another's with --prices-of us-east-1; the table says that it did.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type DescribedType, factsOf, type Limits, runsLinux } from '#lib/aws/instance-types.ts';
import type { Ec2Table, RegionalType, Sale } from '#lib/ec2/catalog/table.ts';
import { encodeFacts, encodeRegion } from '#lib/ec2/catalog/table-codec.ts';
import { onDemandPrices, type Prices, spotPrices } from './price-list.ts';

interface Recorded {
  readonly region: string;
  readonly types: readonly DescribedType[];
  readonly offerings: readonly { readonly InstanceType: string; readonly Location: string }[];
  readonly zones: readonly { readonly ZoneName: string; readonly ZoneId: string }[];
  readonly prices: Prices;
  readonly limits: Limits;
  readonly pricesOf?: string;
}

/** The table of one region, from recorded answers. Types without a price are left out. */
export function tableOf(recorded: Recorded): Ec2Table {
  const { prices, pricesOf } = recorded;
  const zones = recorded.zones
    .map(({ ZoneName, ZoneId }) => ({ name: ZoneName, id: ZoneId }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const soldIn = new Set(recorded.offerings.map((one) => `${one.InstanceType} ${one.Location}`));
  const types = sortedFacts(recorded).flatMap((facts): readonly RegionalType[] => {
    const onDemandUsdPerHour = prices.onDemandUsd[facts.name];
    if (onDemandUsdPerHour === undefined) return [];
    const sales = zones
      .filter(({ name }) => soldIn.has(`${facts.name} ${name}`))
      .map(({ name }) => saleOf(facts.name, name, prices));
    return sales.length === 0 ? [] : [{ facts, onDemandUsdPerHour, sales }];
  });
  return {
    region: recorded.region,
    pricedAt: prices.pricedAt,
    spotPricesAreEstimates: prices.spotPricesAreEstimates,
    ...(pricesOf === undefined ? {} : { pricesBorrowedFrom: pricesOf }),
    zones,
    types,
  };
}

/** A zone without a spot price of its own takes the mean of the others: an estimate. */
function saleOf(type: string, zone: string, prices: Prices): Sale {
  const byZone = prices.spotUsd[type];
  if (byZone === undefined) return { zone };
  const known = Object.values(byZone);
  const mean = known.reduce((sum, usd) => sum + usd, 0) / known.length;
  return { zone, spotUsdPerHour: byZone[zone] ?? Math.round(mean * 10_000) / 10_000 };
}

const sortedFacts = ({ types, limits }: Pick<Recorded, 'types' | 'limits'>) =>
  types
    .filter(runsLinux)
    .map((type) => factsOf(type, limits))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Rows on lines of their own, so that a refresh reads as a list of what changed. */
function writeTable(path: string, table: unknown): void {
  const { rows, ...head } = Object(table);
  const lines = rows.map((row: unknown) => JSON.stringify(row)).join(',\n');
  writeFileSync(path, `${JSON.stringify(head).slice(0, -1)},"rows":[\n${lines}\n]}\n`);
}

const option = { type: 'string' } as const;
const OPTIONS = {
  region: option,
  types: option,
  offerings: option,
  zones: option,
  prices: option,
  'price-list': option,
  'spot-history': option,
  limits: option,
  'prices-of': option,
  out: { type: 'string', default: 'lib/ec2/catalog/data' },
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function needed(options: Options, name: keyof Options): string {
  const value = options[name];
  if (value === undefined) throw new Error(`--${name} is missing; the file's head says what it is`);
  return value;
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

async function pricesFrom(options: Options): Promise<Prices> {
  if (options.prices !== undefined) return readJson(options.prices);
  const lines = createInterface({ input: createReadStream(needed(options, 'price-list')) });
  return {
    ...(await onDemandPrices(lines)),
    spotPricesAreEstimates: false,
    spotUsd: spotPrices(readJson(needed(options, 'spot-history')).SpotPriceHistory),
  };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: OPTIONS });
  const pricesOf = options['prices-of'];
  const recorded: Recorded = {
    region: needed(options, 'region'),
    types: readJson(needed(options, 'types')).InstanceTypes,
    offerings: readJson(needed(options, 'offerings')).InstanceTypeOfferings,
    zones: readJson(needed(options, 'zones')).AvailabilityZones,
    prices: await pricesFrom(options),
    limits: readJson(needed(options, 'limits')),
    ...(pricesOf === undefined ? {} : { pricesOf }),
  };
  const table = tableOf(recorded);
  const facts = sortedFacts(recorded);
  writeTable(`${options.out}/instance-types.json`, encodeFacts(table.pricedAt, facts));
  writeTable(`${options.out}/${table.region}.json`, encodeRegion(table));
  process.stdout.write(
    `${table.region}: ${table.types.length} types, ${table.zones.length} zones\n`,
  );
}

if (import.meta.main) await main();
