import { compareText } from '#lib/constraints/order.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { INSTANCE_SIZE } from '#lib/model/labels.ts';
import type { ResolvedCapacityReservation } from '#lib/model/node-class.ts';

/** A type that may be launched, with the offerings that may be used, cheapest first. */
export interface Candidate {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

/** Reservations of a NodeClass, by id. */
export type Reservations = ReadonlyMap<string, ResolvedCapacityReservation>;

/** Devices that are dear, and of no use to who did not ask for them. */
const DEVICES = ['nvidia.com/gpu', 'amd.com/gpu', 'habana.ai/gaudi', 'aws.amazon.com/neuron'];

/** How a reservation was bought; one request can use one kind only. In the order of ties. */
const RESERVATION_KINDS = ['default', 'capacity-block', 'interruptible'] as const;

/** Which kind a reservation is of. */
export type ReservationKind = (typeof RESERVATION_KINDS)[number];

/** Which kind a reservation is of: a block for a time, one that may be taken back, or neither. */
export function kindOfReservation(
  reservation: ResolvedCapacityReservation | undefined,
): ReservationKind {
  if (reservation?.reservationType === 'capacity-block') return 'capacity-block';
  return reservation?.interruptible === true ? 'interruptible' : 'default';
}

const isReserved = ({ capacityType }: Offering): boolean => capacityType === 'reserved';

/**
 * Reserved offerings of the one kind that has the cheapest, and nothing else; of a capacity block
 * only the cheapest offering of all, because a request takes one block; of several reservations
 * for a type in a zone the one with most left. Unchanged where nothing reserved can be had.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/filter, CapacityReservationTypeFilter,
 * CapacityBlockFilter, ReservedOfferingFilter.
 */
export function reservedOnly(
  candidates: readonly Candidate[],
  reservations: Reservations,
): readonly Candidate[] {
  const kindOf = ({ reservationId }: Offering) =>
    kindOfReservation(reservations.get(reservationId ?? ''));
  const [chosen] = RESERVATION_KINDS.map((kind) => ({
    kind,
    of: keeping(candidates, (offering) => isReserved(offering) && kindOf(offering) === kind),
  }))
    .filter(({ of }) => of.length > 0)
    .sort((a, b) => cheapestOf(a.of) - cheapestOf(b.of));
  if (chosen === undefined) return candidates;
  if (chosen.kind === 'capacity-block') return [...chosen.of].sort(byPrice).slice(0, 1).map(oneOf);
  return chosen.of.map(({ type, offerings }) => ({ type, offerings: roomiestByZone(offerings) }));
}

const oneOf = ({ type, offerings }: Candidate): Candidate => ({
  type,
  offerings: offerings.slice(0, 1),
});

/** Of the reservations in each zone the one that can give most; of equals the first by id. */
function roomiestByZone(offerings: readonly Offering[]): readonly Offering[] {
  const byZone = new Map<string, Offering>();
  const byId = [...offerings].sort((a, b) =>
    compareText(a.reservationId ?? '', b.reservationId ?? ''),
  );
  for (const offering of byId) {
    const known = byZone.get(offering.zone);
    if (known === undefined || roomOf(offering) > roomOf(known))
      byZone.set(offering.zone, offering);
  }
  return offerings.filter((offering) => byZone.get(offering.zone) === offering);
}

const roomOf = ({ reservationCapacity = 0 }: Offering): number => reservationCapacity;

/**
 * Bare metal and devices left out, unless nothing else would do.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/filter, ExoticInstanceTypeFilter.
 */
export function withoutExotic(candidates: readonly Candidate[]): readonly Candidate[] {
  const generic = candidates.filter(({ type }) => !isExotic(type));
  return generic.length === 0 ? candidates : generic;
}

const isExotic = ({ capacity, requirements }: InstanceType): boolean =>
  DEVICES.some((device) => (capacity[device] ?? 0) > 0) ||
  [...(requirements.get(INSTANCE_SIZE)?.values ?? [])].some((size) => size.includes('metal'));

/**
 * Spot that costs more than the cheapest on-demand offering left out: it only adds the risk of
 * losing it.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/filter, SpotInstanceFilter.
 */
export function withoutDearSpot(candidates: readonly Candidate[]): readonly Candidate[] {
  const onDemand = keeping(candidates, ({ capacityType }) => capacityType === 'on-demand');
  if (onDemand.length === 0) return candidates;
  const cheapest = cheapestOf(onDemand);
  return keeping(
    candidates,
    ({ capacityType, usdPerHour }) => capacityType !== 'spot' || usdPerHour <= cheapest,
  );
}

/** The candidates with only those offerings that `wanted` holds for; without them, not at all. */
export const keeping = (
  candidates: readonly Candidate[],
  wanted: (offering: Offering) => boolean,
): readonly Candidate[] =>
  candidates.flatMap(({ type, offerings }) => {
    const kept = offerings.filter(wanted);
    return kept.length === 0 ? [] : [{ type, offerings: kept }];
  });

/** By the cheapest offering, then by name. */
export const byPrice = (a: Candidate, b: Candidate): number =>
  priceOf(a) - priceOf(b) || compareText(a.type.name, b.type.name);

const priceOf = ({ offerings }: Candidate): number =>
  offerings.reduce((least, { usdPerHour }) => Math.min(least, usdPerHour), Number.MAX_VALUE);

const cheapestOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((least, candidate) => Math.min(least, priceOf(candidate)), Number.MAX_VALUE);
