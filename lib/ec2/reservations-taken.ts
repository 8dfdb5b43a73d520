import { requirementsOf } from '#lib/constraints/requirements.ts';
import { CAPACITY_TYPE, RESERVATION_ID } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { ReservationsTaken } from './reserved-offerings.ts';

/**
 * The instances that reservations are promised to give and that EC2 cannot have counted yet: one
 * for each NodeClaim without an instance that may be launched into nothing else. EC2's own count
 * holds the others, as of the last time that it was asked; that it may be some minutes old makes a
 * launch fail at worst, and then the offering rests.
 *
 * Source: karpenter AWS provider v1.14, providers/capacityreservation: rather too many than too few.
 */
export function reservationsTaken(claims: readonly NodeClaim[]): ReservationsTaken {
  const taken = new Map<string, number>();
  for (const { spec, status } of claims) {
    if (status.providerId !== undefined) continue;
    const requirements = requirementsOf(spec.requirements);
    const capacityTypes = requirements.get(CAPACITY_TYPE);
    if (capacityTypes?.complement !== false || !capacityTypes.values.has('reserved')) continue;
    if (capacityTypes.values.size > 1) continue;
    for (const id of requirements.get(RESERVATION_ID)?.values ?? []) {
      taken.set(id, (taken.get(id) ?? 0) + 1);
    }
  }
  return taken;
}
