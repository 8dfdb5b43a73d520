import { requirementOf } from '#lib/constraints/requirement.ts';
import {
  intersectRequirements,
  type Requirements,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import {
  CAPACITY_TYPE,
  RESERVATION_ID,
  RESERVATION_INTERRUPTIBLE,
  RESERVATION_TYPE,
  ZONE,
  ZONE_ID,
} from '#lib/model/labels.ts';

/** Where and how an offering is sold, and whether a template allows that. */
export type ConditionsOfSale = (offering: Offering) => {
  /** Every label that the offering decides. */
  readonly labels: Requirements;
  readonly isAllowed: boolean;
};

/**
 * Tells the conditions of offerings. A catalogue has thousands of offerings that are sold in a
 * dozen ways (zone and capacity type): each way is judged once.
 */
export function conditionsOfSale(allows: (labels: Requirements) => boolean): ConditionsOfSale {
  const known = new Map<Requirements, Map<string, ReturnType<ConditionsOfSale>>>();
  return (offering) => {
    const { requirements, zone, zoneId, capacityType, reservationId = '' } = offering;
    let ways = known.get(requirements);
    if (ways === undefined) {
      ways = new Map();
      known.set(requirements, ways);
    }
    const name = `${capacityType} ${zone} ${zoneId} ${reservationId}`;
    const found = ways.get(name);
    if (found !== undefined) return found;
    const labels = labelsOfOffering(offering);
    const conditions = { labels, isAllowed: allows(labels) };
    ways.set(name, conditions);
    return conditions;
  };
}

/** An instance that is bought outside a reservation carries no reservation's label. */
function labelsOfOffering(offering: Offering): Requirements {
  const { zone, zoneId, capacityType, reservationId } = offering;
  const labels: Record<string, string> = { [ZONE]: zone, [CAPACITY_TYPE]: capacityType };
  if (zoneId !== '') labels[ZONE_ID] = zoneId;
  if (reservationId !== undefined) labels[RESERVATION_ID] = reservationId;
  const known = intersectRequirements(offering.requirements, requirementsOfLabels(labels));
  return reservationId === undefined ? new Map([...known, ...NO_RESERVATION]) : known;
}

const NO_RESERVATION = [RESERVATION_ID, RESERVATION_TYPE, RESERVATION_INTERRUPTIBLE].map(
  (key) => [key, requirementOf({ key, operator: 'DoesNotExist' })] as const,
);
