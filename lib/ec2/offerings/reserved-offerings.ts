import { compareText } from '#lib/constraints/order.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { RegionalType } from '#lib/ec2/catalog/table.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import {
  CAPACITY_TYPE,
  RESERVATION_ID,
  RESERVATION_INTERRUPTIBLE,
  RESERVATION_TYPE,
  ZONE,
  ZONE_ID,
} from '#lib/model/labels.ts';
import type { ResolvedCapacityReservation } from '#lib/model/node-class.ts';
import type { Availability, SubnetZone } from './offerings.ts';

/**
 * What an instance of a reservation costs: it is paid for already, so as good as nothing, but the
 * order of the prices is kept. Source: karpenter AWS provider v1.14, offering provider.
 */
const SHARE_OF_ON_DEMAND = 1 / 10_000_000;

/** What is gone of a reservation since EC2 counted. */
export interface TakenInstances {
  /** Launched into it. */
  readonly launched: number;
  /** Promised to NodeClaims that are still to be launched. */
  readonly promised: number;
}

/** What is gone of reservations since EC2 counted, by reservation. */
export type ReservationsTaken = ReadonlyMap<string, TakenInstances>;

/**
 * The offerings that a type's capacity reservations make of it: one for each in a zone with a
 * subnet, sorted by price, zone and reservation. One that has nothing left, ends soon or is sold
 * out is there and not available. One of which all that is left is promised is available, for
 * those to whom it is promised, and its capacity is 0.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/offering.
 */
export function reservedOfferings(
  type: RegionalType,
  zones: readonly SubnetZone[],
  reservations: readonly ResolvedCapacityReservation[],
  { available, taken }: { readonly available: Availability; readonly taken: ReservationsTaken },
): readonly Offering[] {
  const { name } = type.facts;
  const offerings = reservations.flatMap((reservation): readonly Offering[] => {
    const zone = zones.find((one) => one.name === reservation.zone);
    const sale = type.sales.find((one) => one.zone === reservation.zone);
    if (zone === undefined) return [];
    const { launched = 0, promised = 0 } = taken.get(reservation.id) ?? {};
    const left = Math.max(0, (reservation.availableInstances ?? 0) - launched);
    return [
      {
        zone: zone.name,
        zoneId: zone.id,
        capacityType: 'reserved',
        usdPerHour: (sale?.onDemandUsdPerHour ?? type.onDemandUsdPerHour) * SHARE_OF_ON_DEMAND,
        available:
          left > 0 &&
          reservation.state === 'active' &&
          sale !== undefined &&
          available('reserved', name, zone.name),
        requirements: requirementsOf(reservation, zone),
        reservationId: reservation.id,
        reservationCapacity: Math.max(0, left - promised),
      },
    ];
  });
  return offerings.sort(
    (a, b) =>
      a.usdPerHour - b.usdPerHour ||
      compareText(a.zone, b.zone) ||
      compareText(a.reservationId ?? '', b.reservationId ?? ''),
  );
}

function requirementsOf(
  { id, reservationType, interruptible }: ResolvedCapacityReservation,
  zone: SubnetZone,
): Requirements {
  const labels: readonly (readonly [string, string])[] = [
    [CAPACITY_TYPE, 'reserved'],
    [ZONE, zone.name],
    [RESERVATION_ID, id],
    [RESERVATION_TYPE, reservationType],
    [RESERVATION_INTERRUPTIBLE, String(interruptible)],
    ...(zone.id === '' ? [] : [[ZONE_ID, zone.id] as const]),
  ];
  return new Map(
    labels.map(([key, value]) => [key, requirementOf({ key, operator: 'In', values: [value] })]),
  );
}
