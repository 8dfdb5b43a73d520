import instanceTypes from '#lib/ec2/data/instance-types.json' with { type: 'json' };
import usEast1 from '#lib/ec2/data/us-east-1.json' with { type: 'json' };
import usWest2 from '#lib/ec2/data/us-west-2.json' with { type: 'json' };
import type { Ec2Table } from '#lib/ec2/table.ts';
import { decodeTable } from '#lib/ec2/table-codec.ts';

const REGIONS: ReadonlyMap<string, unknown> = new Map([
  ['us-east-1', usEast1],
  ['us-west-2', usWest2],
]);

/** The regions that `embeddedTable` knows, sorted. */
export const EMBEDDED_REGIONS: readonly string[] = [...REGIONS.keys()];

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
