import { requirementsOf } from '#lib/constraints/requirements.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { CAPACITY_TYPE, RESERVATION_ID } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { ReservationsTaken, TakenInstances } from './reserved-offerings.ts';

/**
 * The instances of reservations that EC2's last count does not hold: one for each NodeClaim
 * without an instance that may be launched into nothing else, and one for each that was launched
 * into a reservation since it was counted. What came back in between is seen at the next count.
 *
 * Source: karpenter AWS provider v1.14, providers/capacityreservation: rather too many than too few.
 */
export function reservationsTaken(
  claims: readonly NodeClaim[],
  nodeClasses: readonly NodeClass[],
): ReservationsTaken {
  const counted = countsOf(nodeClasses);
  const taken = new Map<string, TakenInstances>();
  for (const claim of claims) {
    const isLaunched = claim.status.providerId !== undefined;
    for (const id of isLaunched ? launchedSince(claim, counted) : promisedTo(claim)) {
      const { launched, promised } = taken.get(id) ?? { launched: 0, promised: 0 };
      taken.set(id, {
        launched: launched + Number(isLaunched),
        promised: promised + Number(!isLaunched),
      });
    }
  }
  return taken;
}

/** When each reservation was last counted; where several NodeClasses tell, the earliest. */
function countsOf(nodeClasses: readonly NodeClass[]): ReadonlyMap<string, EpochMs> {
  const counted = new Map<string, EpochMs>();
  for (const { id, countedAt } of nodeClasses.flatMap((each) => each.status.capacityReservations)) {
    if (countedAt === undefined) continue;
    counted.set(id, Math.min(countedAt, counted.get(id) ?? countedAt));
  }
  return counted;
}

/** The reservation that a NodeClaim was launched into, where it was counted before that. */
function launchedSince(
  { meta, status }: NodeClaim,
  counted: ReadonlyMap<string, EpochMs>,
): readonly string[] {
  const id = meta.labels[RESERVATION_ID];
  const countedAt = counted.get(id ?? '');
  if (id === undefined || countedAt === undefined) return [];
  const launched = conditionOf(status.conditions, LAUNCHED);
  return launched?.status !== 'True' || launched.changedAt >= countedAt ? [id] : [];
}

/** The reservations of which a NodeClaim that is still to be launched must get one. */
function promisedTo({ spec }: NodeClaim): readonly string[] {
  const requirements = requirementsOf(spec.requirements);
  const capacityTypes = requirements.get(CAPACITY_TYPE);
  if (capacityTypes?.complement !== false || !capacityTypes.values.has('reserved')) return [];
  if (capacityTypes.values.size > 1) return [];
  return [...(requirements.get(RESERVATION_ID)?.values ?? [])];
}
