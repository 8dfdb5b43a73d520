import instanceTypes from '#lib/ec2/catalog/data/instance-types.json' with { type: 'json' };
import usEast1 from '#lib/ec2/catalog/data/us-east-1.json' with { type: 'json' };
import usWest2 from '#lib/ec2/catalog/data/us-west-2.json' with { type: 'json' };
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { decodeFacts, decodeTable } from '#lib/ec2/catalog/table-codec.ts';
import type { Limits } from './instance-types.ts';

const REGIONS: ReadonlyMap<string, unknown> = new Map([
  ['us-east-1', usEast1],
  ['us-west-2', usWest2],
]);

/** The regions that `embeddedTable` knows, sorted. */
export const EMBEDDED_REGIONS: readonly string[] = [...REGIONS.keys()];

/** The region whose types and prices stand in for those of a region that is not embedded. */
const STAND_IN = 'us-east-1';

/**
 * What EC2's own answers leave out of a type: network bandwidth and branch interfaces, as far as
 * the embedded table knows the type, whether an embedded region sells it or not.
 */
export const embeddedLimits = (): Limits =>
  Object.fromEntries(
    [...decodeFacts(instanceTypes)].map(([name, { networkMbps, branchInterfaces }]) => [
      name,
      { networkMbps, branchInterfaces },
    ]),
  );

/**
 * What is known of a region before EC2 was asked: its embedded table, else the types and prices of
 * us-east-1 without a zone to buy them in.
 */
export function tableBeforeAsking(region: string): Ec2Table {
  const own = embeddedTable(region);
  if (own !== undefined) return own;
  const types = embeddedTable(STAND_IN)?.types.map((type) => ({ ...type, sales: [] })) ?? [];
  return {
    region,
    pricedAt: embeddedTable(STAND_IN)?.pricedAt ?? '',
    spotPricesAreEstimates: true,
    pricesBorrowedFrom: STAND_IN,
    zones: [],
    types,
  };
}

// Decoded tables, by region. Losing them costs some 15 ms.
const decoded = new Map<string, Ec2Table>();

/**
 * What EC2 sells in a region, from the table that is part of the program; undefined for a region
 * that it does not hold. How it is made new, and a region added: infra/tools/refresh-ec2-table.ts.
 */
export function embeddedTable(region: string): Ec2Table | undefined {
  const known = decoded.get(region);
  if (known !== undefined) return known;
  const file = REGIONS.get(region);
  if (file === undefined) return undefined;
  const table = decodeTable(instanceTypes, file);
  decoded.set(region, table);
  return table;
}
