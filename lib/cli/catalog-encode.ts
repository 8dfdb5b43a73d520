import type { Requirement, RequirementSpec } from '#lib/constraints/requirement.ts';
import { type Requirements, specsOfRequirements } from '#lib/constraints/requirements.ts';
import { formatResources } from '#lib/constraints/resources.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, RESERVATION_ID, ZONE, ZONE_ID } from '#lib/model/labels.ts';
import type { OfferedTypes } from './file-catalog.ts';

/**
 * A catalog as the plan format has it, so that `joinery plan --catalog` reads it: JSON, one type a
 * line. What follows from the rest is left out of offerings; allocatable is there for people.
 */
export function* catalogLines(offered: OfferedTypes): Iterable<string> {
  const { instanceTypes, ...head } = offered;
  yield `${JSON.stringify(head).slice(0, -1)},"instanceTypes":[`;
  for (const [index, type] of instanceTypes.entries()) {
    yield JSON.stringify(encodeType(type)) + (index + 1 < instanceTypes.length ? ',' : '');
  }
  yield ']}';
}

const encodeType = (type: InstanceType): unknown => ({
  name: type.name,
  requirements: specsOfRequirements(type.requirements),
  capacity: formatResources(type.capacity),
  overhead: formatResources(type.overhead),
  allocatable: formatResources(type.allocatable),
  ...(type.reserves && { reserves: type.reserves }),
  offerings: type.offerings.map((offering) => encodeOffering(offering, type.requirements)),
});

function encodeOffering(offering: Offering, ofType: Requirements): unknown {
  const requirements = ownRequirements(offering, ofType);
  return {
    zone: offering.zone,
    ...(offering.zoneId !== '' && { zoneId: offering.zoneId }),
    capacityType: offering.capacityType,
    usdPerHour: offering.usdPerHour,
    available: offering.available,
    ...(offering.reservationId !== undefined && { reservationId: offering.reservationId }),
    ...(offering.reservationCapacity !== undefined && {
      reservationCapacity: offering.reservationCapacity,
    }),
    ...(requirements.length > 0 && { requirements }),
  };
}

/** Labels of an offering that neither its other fields nor its type tell. */
function ownRequirements(offering: Offering, ofType: Requirements): readonly RequirementSpec[] {
  const told = new Set([ZONE, ZONE_ID, CAPACITY_TYPE]);
  if (offering.reservationId !== undefined) told.add(RESERVATION_ID);
  const own = [...offering.requirements].filter(
    ([key, requirement]) => !(told.has(key) || isSame(requirement, ofType.get(key))),
  );
  return specsOfRequirements(new Map(own));
}

const isSame = (a: Requirement, b: Requirement | undefined): boolean =>
  b !== undefined && specsOf(a) === specsOf(b);

const specsOf = (requirement: Requirement): string =>
  JSON.stringify(specsOfRequirements(new Map([[requirement.key, requirement]])));
