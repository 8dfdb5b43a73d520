import { requirementsOf } from '#lib/constraints/requirements.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import type { ResolvedCapacityReservation } from '#lib/model/node-class.ts';
import { spec } from './constraints.ts';

/** A targeted reservation cr-1 of m5.large in us-east-1a that has one instance left. */
export const aReservation = (
  difference: Partial<ResolvedCapacityReservation> = {},
): ResolvedCapacityReservation => ({
  id: 'cr-1',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  ownerId: '111122223333',
  instanceMatchCriteria: 'targeted',
  reservationType: 'default',
  interruptible: false,
  state: 'active',
  availableInstances: 1,
  ...difference,
});

/** The type with an offering for each of these reservations before its others. */
export function withReserved(
  type: InstanceType,
  reservations: readonly ResolvedCapacityReservation[],
  usdPerHour = 0.000_01,
): InstanceType {
  const reserved = reservations.map(
    ({ id, zone, availableInstances = 0 }): Offering => ({
      zone,
      zoneId: '',
      capacityType: 'reserved',
      usdPerHour,
      available: availableInstances > 0,
      requirements: requirementsOf([
        spec(`topology.kubernetes.io/zone In ${zone}`),
        spec('karpenter.sh/capacity-type In reserved'),
        spec(`karpenter.k8s.aws/capacity-reservation-id In ${id}`),
      ]),
      reservationId: id,
      reservationCapacity: availableInstances,
    }),
  );
  return {
    ...type,
    requirements: new Map([
      ...type.requirements,
      ...requirementsOf([spec('karpenter.sh/capacity-type In on-demand reserved spot')]),
    ]),
    offerings: [...reserved, ...type.offerings],
  };
}
