import type { AwsCall } from '#lib/aws/calls/call.ts';
import { EMBEDDED_REGIONS, embeddedTable, tableBeforeAsking } from '#lib/aws/embedded-table.ts';
import { findOnDemandPrices, findSpotPrices } from '#lib/aws/prices.ts';
import { findSoldTypes } from '#lib/aws/sold-types.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { withNews } from '#lib/ec2/offerings/market.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';
import { type RecordedPaths, readRecorded } from './catalog-recorded.ts';

/** Where the market is looked up: recorded answers, AWS itself, or the embedded table. */
export type MarketSource =
  | { readonly kind: 'recorded'; readonly paths: RecordedPaths }
  | { readonly kind: 'live' }
  | { readonly kind: 'embedded' };

/** What reaches AWS, and when that is. */
export interface LiveAws {
  readonly connect: (region: string) => AwsCall | Promise<AwsCall>;
  readonly now: () => EpochMs;
}

/** A region's market and what is to be said of it, or why there is none. */
export type Market =
  | { readonly table: Ec2Table; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] };

/** The region of a zone, local zones included: us-west-2-lax-1a is of us-west-2. */
export const regionOfZone = (zone: string): string | undefined =>
  /^[a-z]{2}(?:-[a-z]+)+-\d+/.exec(zone)?.[0];

/** What a region sells and for how much; `region` is absent where only the source can tell. */
export async function readMarket(
  source: MarketSource,
  region: string | undefined,
  live: LiveAws,
): Promise<Market> {
  if (source.kind === 'recorded') return recordedMarket(source.paths, region);
  if (source.kind === 'live') return liveMarket(region ?? FALLBACK_REGION, live);
  const table = embeddedTable(region ?? FALLBACK_REGION);
  if (table !== undefined) return { table, warnings: borrowed(table) };
  const known = EMBEDDED_REGIONS.join(' and ');
  return {
    problems: [
      `nothing of ${region} is embedded (${known} are): use --live, or name recorded answers with --instance-types, --offerings and --prices`,
    ],
  };
}

/** Where nothing names a region. Source: the plan format. */
const FALLBACK_REGION = 'us-east-1';

const borrowed = ({ region, pricesBorrowedFrom }: Ec2Table): readonly string[] =>
  pricesBorrowedFrom === undefined
    ? []
    : [`prices of ${region} are not at hand: those of ${pricesBorrowedFrom} stand in`];

async function recordedMarket(paths: RecordedPaths, region: string | undefined): Promise<Market> {
  const recorded = await readRecorded(paths);
  if ('problems' in recorded) return recorded;
  const regions = [...new Set(recorded.zones.map((zone) => regionOfZone(zone) ?? zone))];
  const chosen = region ?? regions[0] ?? FALLBACK_REGION;
  const others = regions.filter((each) => each !== chosen);
  if (others.length > 0) {
    const problem = `${paths.offerings}: it has zones of ${others.join(', ')}, and ${chosen} is asked for; record one region`;
    return { problems: [problem] };
  }
  const known = tableBeforeAsking(chosen);
  const before = paths.prices === undefined ? known : { ...known, types: [] };
  const table = withNews(before, recorded.news, recorded.pricedAt);
  const ids = new Map(known.zones.map(({ name, id }) => [name, id]));
  const zones = table.zones.map((zone) => ({ ...zone, id: ids.get(zone.name) ?? zone.id }));
  const warnings = paths.prices === undefined ? ['no --prices: the embedded ones count'] : [];
  return { table: { ...table, zones }, warnings: [...warnings, ...borrowed(table)] };
}

async function liveMarket(region: string, live: LiveAws): Promise<Market> {
  try {
    const call = await live.connect(region);
    const sold = await findSoldTypes(call);
    const [onDemand, spot] = await Promise.all([
      findOnDemandPrices(call, region, sold.zones),
      findSpotPrices(call, live.now()),
    ]);
    const before = { ...tableBeforeAsking(region), types: [] };
    const today = formatInstant(live.now()).slice(0, 10);
    return { table: withNews(before, { sold, onDemand, spot }, today), warnings: [] };
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    return {
      problems: [
        `AWS in ${region} could not be asked: ${because}; check the credentials and --region, or leave --live out`,
      ],
    };
  }
}
