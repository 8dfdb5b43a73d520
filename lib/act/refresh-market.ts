import { tableBeforeAsking } from '#lib/aws/embedded-table.ts';
import { describeAwsError } from '#lib/aws/errors.ts';
import { findOnDemandPrices, findSpotPrices } from '#lib/aws/prices.ts';
import { EmptyAnswer, findSoldTypes } from '#lib/aws/sold-types.ts';
import { MEMORY_COUNTS_FOR_MS } from '#lib/ec2/catalog/discovered-memory.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { decodeTable, encodeFacts, encodeRegion } from '#lib/ec2/catalog/table-codec.ts';
import { type MarketNews, withNews } from '#lib/ec2/offerings/market.ts';
import {
  type CatalogFound,
  packCatalog,
  readCatalog,
  unpackCatalog,
  writeCatalog,
} from '#lib/kube/catalog-config-map.ts';
import { KubeFailure } from '#lib/kube/errors.ts';
import { rememberMemory } from '#lib/kube/memory-config-map.ts';
import type { MarketDates, MarketPart } from '#lib/model/market.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import { formatInstant } from '#lib/model/time.ts';
import type { LimitedPorts } from './ports.ts';
import { DONE, type Result } from './result.ts';

/**
 * Asks EC2 for `parts` of what it sells and keeps the answers. A part that is not answered stays as
 * it was and says why; it does not keep the others from being kept. Not tried again before the next
 * plan asks for it: who is throttled or denied now will be in five seconds too.
 */
export async function refreshMarket(
  ports: LimitedPorts,
  parts: readonly MarketPart[],
): Promise<Result> {
  const found = await readCatalog(ports.kube);
  if (found?.kind === 'foreign') return { result: 'failed', because: found.problem };
  const before = tableIn(found, ports.settings.cluster.region);
  const asked = await askFor(ports, parts, before);
  const dates = found === undefined || !before.isKept ? {} : found.dates;
  if (asked.answered.length > 0) {
    const today = formatInstant(ports.now()).slice(0, DATE_LENGTH);
    const table = withNews(before.table, asked.news, today);
    const facts = encodeFacts(
      today,
      table.types.map((type) => type.facts),
    );
    const packed = packCatalog(facts, encodeRegion(table));
    const kept = { packed, dates: { ...dates, ...asked.dates } };
    await writeCatalog(ports.kube, kept, found?.ref);
  }
  return asked.problems.length === 0
    ? DONE
    : { result: 'failed', because: asked.problems.join('; ') };
}

/** Keeps what nodes told of their memory, and forgets what does not count any more. */
export async function rememberWhatNodesTold(
  { kube, now }: LimitedPorts,
  records: readonly MemoryRecord[],
): Promise<Result> {
  await rememberMemory(kube, records, now() - MEMORY_COUNTS_FOR_MS);
  return DONE;
}

/** YYYY-MM-DD. */
const DATE_LENGTH = 10;

interface Before {
  readonly table: Ec2Table;
  /** Whether it is the one that is kept in the cluster. */
  readonly isKept: boolean;
}

function tableIn(found: CatalogFound | undefined, region: string): Before {
  const embedded = { table: tableBeforeAsking(region), isKept: false };
  if (found?.kind !== 'record') return embedded;
  try {
    const files = unpackCatalog(found.packed);
    const table = decodeTable(files.facts, files.region);
    return table.region === region ? { table, isKept: true } : embedded;
  } catch {
    // It is about to be written anew.
    return embedded;
  }
}

interface Asked {
  readonly news: MarketNews;
  readonly answered: readonly MarketPart[];
  readonly dates: MarketDates;
  readonly problems: readonly string[];
}

async function askFor(
  ports: LimitedPorts,
  parts: readonly MarketPart[],
  { table }: Before,
): Promise<Asked> {
  const problems: string[] = [];
  const attempt = async <Found>(
    part: MarketPart,
    ask: () => Promise<Found>,
  ): Promise<Found | undefined> => {
    if (!parts.includes(part)) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (!isAnswer(error, ports)) throw error;
      problems.push(`${part}: ${describeAwsError(error)}`);
      return undefined;
    }
  };
  const at = ports.now();
  const types = attempt('types', () => findSoldTypes(ports.aws));
  const spot = attempt('spotPrices', () => findSpotPrices(ports.aws, at));
  const sold = await types;
  const zones = sold?.zones ?? table.zones;
  const onDemand = await attempt('onDemandPrices', () =>
    findOnDemandPrices(ports.aws, table.region, zones),
  );
  const answers = { types: sold, onDemandPrices: onDemand, spotPrices: await spot };
  const answered = parts.filter((part) => answers[part] !== undefined);
  return {
    news: present({ sold, onDemand, spot: answers.spotPrices }),
    answered,
    dates: Object.fromEntries(answered.map((part) => [part, at])),
    problems: problems.sort(),
  };
}

/** Whether `error` is how a call ended, or was not made, rather than a bug. */
const isAnswer = (error: unknown, ports: LimitedPorts): boolean =>
  ports.awsCallOf(error) !== undefined ||
  error instanceof EmptyAnswer ||
  error instanceof KubeFailure;

/** The news that there are. */
const present = (
  news: {
    readonly [Key in keyof MarketNews]: MarketNews[Key] | undefined;
  },
): MarketNews => ({
  ...(news.sold && { sold: news.sold }),
  ...(news.onDemand && { onDemand: news.onDemand }),
  ...(news.spot && { spot: news.spot }),
});
