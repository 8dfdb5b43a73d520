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
  const known = new Map<Requirements, Way[]>();
  return (offering) => {
    let ways = known.get(offering.requirements);
    if (ways === undefined) {
      ways = [];
      known.set(offering.requirements, ways);
    }
    const found = ways.find(({ like }) => isAlike(like, offering));
    if (found !== undefined) return found.conditions;
    const labels = labelsOfOffering(offering);
    const conditions = { labels, isAllowed: allows(labels) };
    ways.push({ like: offering, conditions });
    return conditions;
  };
}

/** One of the ways in which offerings are sold, by the first that is. */
interface Way {
  readonly like: Offering;
  readonly conditions: ReturnType<ConditionsOfSale>;
}

const isAlike = (a: Offering, b: Offering): boolean =>
  a.zone === b.zone &&
  a.capacityType === b.capacityType &&
  a.zoneId === b.zoneId &&
  a.reservationId === b.reservationId;

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
