import type { Account, PlacementGroup, Reservation } from './account.ts';
import type { Pool } from './market.ts';
import { placementRefusal } from './placement-groups.ts';
import { type Fields, optionalInteger, optionalText, structure } from './request.ts';

type Refusal = { readonly code: string; readonly message: string };

/** What of an option was bought or arranged before: the reservation and the group it names. */
export interface BoughtAhead {
  readonly reservation: Reservation | undefined;
  readonly group: PlacementGroup | undefined;
  /** The partition that it asks for. */
  readonly partition: number | undefined;
}

/** How a fleet says that it buys from a reservation. Source: EC2 API, DefaultTargetCapacityType. */
export type FleetMarket = 'on-demand' | 'spot' | 'capacity-block' | 'reserved-capacity';

/** Market and fleet's word of each kind of reservation. Source: EC2 API, MarketType. */
const WORDS = {
  default: { market: undefined, fleet: 'on-demand' },
  'capacity-block': { market: 'capacity-block', fleet: 'capacity-block' },
  interruptible: { market: 'interruptible-capacity-reservation', fleet: 'reserved-capacity' },
} as const;

/** The reservation and the placement group that a template names, or why EC2 would refuse them. */
export function boughtAhead(
  account: Account,
  data: Fields,
  pool: Pool,
  market: FleetMarket,
): BoughtAhead | Refusal {
  const reservation = reservationOf(account, data, pool, market);
  if (reservation !== undefined && 'code' in reservation) return reservation;
  const placement = structure(data, 'Placement');
  const id = optionalText(placement, 'GroupId');
  const partition = optionalInteger(placement, 'PartitionNumber', [1, 7]);
  const group = id === undefined ? undefined : account.placementGroups.get(id);
  if (id !== undefined && group === undefined) {
    return {
      code: 'InvalidPlacementGroup.Unknown',
      message: `The Placement Group '${id}' is unknown.`,
    };
  }
  const refusal = group && placementRefusal(account, group, { zone: pool.zone, partition });
  return refusal ?? { reservation, group, partition };
}

function reservationOf(
  account: Account,
  data: Fields,
  { type, zone }: Pool,
  market: FleetMarket,
): Reservation | Refusal | undefined {
  const asked = structure(data, 'CapacityReservationSpecification');
  const target = structure(asked, 'CapacityReservationTarget');
  const id = optionalText(target, 'CapacityReservationId');
  const said = optionalText(structure(data, 'InstanceMarketOptions'), 'MarketType');
  if (id === undefined) {
    return market === 'capacity-block' || market === 'reserved-capacity'
      ? { code: 'InvalidParameterCombination', message: `A fleet of ${market} names none.` }
      : undefined;
  }
  const reservation = account.reservations.get(id);
  if (reservation === undefined) {
    return {
      code: 'InvalidCapacityReservationId.NotFound',
      message: `The Capacity Reservation with ID ${id} does not exist.`,
    };
  }
  const words = WORDS[reservation.kind];
  if (words.fleet !== market || words.market !== (said === 'spot' ? undefined : said)) {
    return {
      code: 'InvalidParameterCombination',
      message: `A ${reservation.kind} reservation is not bought as ${market} with market type ${said}.`,
    };
  }
  return reservation.type === type.name && reservation.zone === zone
    ? reservation
    : {
        code: 'InvalidParameterValue',
        message: `The Capacity Reservation ${id} is for ${reservation.type} in ${reservation.zone}.`,
      };
}
