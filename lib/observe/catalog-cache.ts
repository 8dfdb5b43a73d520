import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { ReservationsTaken } from '#lib/ec2/offerings/reserved-offerings.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Market } from './market.ts';

/** What a catalogue is computed from. */
interface CatalogInputs {
  readonly market: Pick<Market, 'table' | 'warning' | 'memory'>;
  readonly settings: ClusterSettings;
  readonly nodeClasses: readonly NodeClass[];
  readonly soldOut: readonly SoldOut[];
  readonly shiftedZones: readonly string[];
  readonly reservationsTaken: ReservationsTaken;
  readonly now: EpochMs;
}

// The catalogue of the last look of a warm sandbox. Losing it costs some 30 ms.
let last:
  | { readonly key: string; readonly market: CatalogInputs['market']; readonly catalog: Catalog }
  | undefined;

/**
 * What EC2 would sell for each NodeClass now; the same object as last time where nothing that it
 * depends on has changed.
 */
export function catalogFor(inputs: CatalogInputs): Catalog {
  const { market, soldOut, now } = inputs;
  const current = soldOut.filter(({ until }) => until > now);
  const key = keyOf({ ...inputs, soldOut: current });
  if (last?.key !== key || last.market.table !== market.table) {
    const { table, warning, memory } = market;
    const catalog = catalogOf({ ...inputs, table, memory, soldOut: current });
    last = { key, market, catalog: { ...catalog, ...(warning !== undefined && { warning }) } };
  }
  return last.catalog;
}

/** How many addresses a subnet has left changes often; only whether it has any matters here. */
const keyOf = (inputs: CatalogInputs): string =>
  JSON.stringify([
    inputs.settings,
    inputs.market.warning,
    inputs.market.memory.map(({ instanceType, images, bytes }) => [instanceType, images, bytes]),
    inputs.nodeClasses.map(({ meta, status }) => [
      meta.name,
      meta.uid,
      meta.generation,
      status.subnets.map(({ id, zone, zoneId, freeAddresses }) => [
        ...[id, zone, zoneId],
        freeAddresses === 0,
      ]),
      status.amis.map(({ id }) => id),
      status.capacityReservations,
      status.placementGroup,
    ]),
    inputs.soldOut.map(({ until: _, ...offering }) => Object.values(offering)).sort(),
    inputs.shiftedZones,
    [...inputs.reservationsTaken].sort(),
  ]);
