import { embeddedTable, tableBeforeAsking } from '#lib/aws/embedded-table.ts';
import { currentMemory } from '#lib/ec2/catalog/discovered-memory.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { decodeTable } from '#lib/ec2/catalog/table-codec.ts';
import {
  type CatalogFound,
  type PackedCatalog,
  readCatalog,
  unpackCatalog,
} from '#lib/kube/catalog-config-map.ts';
import { type MemoryFound, readMemory } from '#lib/kube/memory-config-map.ts';
import type { KubeTransport } from '#lib/kube/transport.ts';
import type { MarketDates } from '#lib/model/market.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What is known of what EC2 sells, without asking EC2. */
export interface Market {
  readonly table: Ec2Table;
  /** Why the table may not be what EC2 sells now. */
  readonly warning?: string;
  /** Absent: it is not ours to refresh. */
  readonly dates?: MarketDates;
  readonly memory: readonly MemoryRecord[];
  readonly leftOut: readonly LeftOut[];
}

/** Prices of half an hour ago do as well as those of five minutes more. */
const READ_AGAIN_AFTER_MS = 300_000;

interface Read {
  readonly at: EpochMs;
  readonly catalog: CatalogFound | undefined;
  readonly found: MemoryFound;
}

// What a warm sandbox read last, by its cluster. Losing it costs two reads.
const lastRead = new WeakMap<KubeTransport, Read>();
// The table that was decoded last. Losing it costs some 20 ms.
let lastDecoded: { readonly packed: PackedCatalog; readonly table: Ec2Table } | undefined;

/**
 * What the cluster's ConfigMaps keep of EC2's types, prices and of the memory of nodes; the
 * embedded table, with a warning, where they keep nothing. A warm sandbox reads them every five
 * minutes, and at once where it is asked to. Throws KubeFailure.
 */
export async function readMarket(
  kube: KubeTransport,
  region: string,
  { now, anew }: { readonly now: EpochMs; readonly anew: boolean },
): Promise<Market> {
  const { catalog, found } = await recentlyRead(kube, now, anew);
  return {
    ...tableOf(catalog, region),
    memory: currentMemory(found.memory, now),
    leftOut: found.leftOut,
  };
}

async function recentlyRead(kube: KubeTransport, now: EpochMs, anew: boolean): Promise<Read> {
  const last = lastRead.get(kube);
  // Nothing kept is news that ends soon: right after a deployment, the first refresh is under way.
  const isSettled = last?.catalog !== undefined && now - last.at < READ_AGAIN_AFTER_MS;
  if (isSettled && !anew) return last;
  const [catalog, found] = await Promise.all([readCatalog(kube), readMemory(kube)]);
  const read = { at: now, catalog, found };
  lastRead.set(kube, read);
  return read;
}

function tableOf(
  catalog: CatalogFound | undefined,
  region: string,
): Pick<Market, 'table' | 'warning' | 'dates'> {
  if (catalog === undefined) {
    return { ...unasked(region, 'EC2 was not asked yet what it sells'), dates: {} };
  }
  if (catalog.kind === 'foreign')
    return unasked(region, `ConfigMap ec2-catalog: ${catalog.problem}`);
  try {
    const table = decoded(catalog.packed);
    if (table.region === region) return { table, dates: catalog.dates };
    return { ...unasked(region, `ConfigMap ec2-catalog is about ${table.region}`), dates: {} };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...unasked(region, `ConfigMap ec2-catalog is damaged (${problem})`), dates: {} };
  }
}

/** The table that is part of the program, and a sentence that says so. */
function unasked(region: string, because: string): Pick<Market, 'table' | 'warning'> {
  const table = tableBeforeAsking(region);
  const instead =
    embeddedTable(region) === undefined
      ? `nothing can be launched in ${region} until it is`
      : `types and prices are those of ${table.pricedAt}, which are part of this version`;
  return { table, warning: `${because}: ${instead}` };
}

function decoded(packed: PackedCatalog): Ec2Table {
  const { facts, region } = packed;
  if (lastDecoded?.packed.facts !== facts || lastDecoded.packed.region !== region) {
    const files = unpackCatalog(packed);
    lastDecoded = { packed, table: decodeTable(files.facts, files.region) };
  }
  return lastDecoded.table;
}
