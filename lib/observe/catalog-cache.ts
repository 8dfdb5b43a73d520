import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { catalogOf } from '#lib/ec2/catalog.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What a catalogue is computed from, but for the table. */
interface CatalogInputs {
  readonly settings: ClusterSettings;
  readonly nodeClasses: readonly NodeClass[];
  readonly soldOut: readonly SoldOut[];
  readonly now: EpochMs;
}

// The catalogue of the last look of a warm sandbox. Losing it costs some 30 ms.
let last: { readonly key: string; readonly catalog: Catalog } | undefined;

/**
 * What EC2 would sell for each NodeClass now, from the embedded table; the same object as last
 * time where nothing that it depends on has changed. Throws where no table of the region is
 * embedded.
 */
export function catalogFor({ settings, nodeClasses, soldOut, now }: CatalogInputs): Catalog {
  const table = embeddedTable(settings.region);
  if (table === undefined) {
    throw new Error(
      `No table of EC2 is embedded for ${settings.region}: infra/tools/refresh-ec2-table.ts adds a region`,
    );
  }
  const current = soldOut.filter(({ until }) => until > now);
  const key = keyOf({ settings, nodeClasses, soldOut: current, now });
  if (last?.key !== key) {
    last = { key, catalog: catalogOf({ table, nodeClasses, soldOut: current, settings, now }) };
  }
  return last.catalog;
}

const keyOf = ({ settings, nodeClasses, soldOut }: CatalogInputs): string =>
  JSON.stringify([
    settings,
    nodeClasses.map(({ meta, status }) => [meta.name, meta.uid, meta.generation, status.subnets]),
    soldOut
      .map(({ capacityType, instanceType, zone }) => [capacityType, instanceType, zone])
      .sort(),
  ]);
