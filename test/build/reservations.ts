import { requirementsOf } from '#lib/constraints/requirements.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { spec } from './constraints.ts';

/** The type with a capacity reservation beside its offerings: so many instances in us-east-1a. */
export const withReservation = (
  type: InstanceType,
  instances: number,
  id: string = `cr-${type.name}`,
): InstanceType => ({
  ...type,
  requirements: new Map([
    ...type.requirements,
    ...requirementsOf([spec('karpenter.sh/capacity-type In on-demand spot reserved')]),
  ]),
  offerings: [
    {
      zone: 'us-east-1a',
      zoneId: 'use1-az1',
      capacityType: 'reserved',
      usdPerHour: 0.000_01,
      available: instances > 0,
      reservationId: id,
      reservationCapacity: instances,
      requirements: requirementsOf([
        spec('topology.kubernetes.io/zone In us-east-1a'),
        spec('karpenter.sh/capacity-type In reserved'),
        spec(`karpenter.k8s.aws/capacity-reservation-id In ${id}`),
      ]),
    },
    ...type.offerings,
  ],
});
