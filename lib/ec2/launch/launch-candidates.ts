import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Requirement } from '#lib/constraints/requirement.ts';
import { has } from '#lib/constraints/requirement.ts';
import { agrees, type Requirements } from '#lib/constraints/requirements.ts';
import { fits, type Resources } from '#lib/constraints/resources.ts';
import type { CapacityType, InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, RESERVATION_ID } from '#lib/model/labels.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import {
  byPrice,
  type Candidate,
  keeping,
  type Reservations,
  reservedOnly,
  withoutDearSpot,
  withoutExotic,
} from './launch-filters.ts';

/** How many types one request may name. Source: karpenter AWS provider v1.14, MaxInstanceTypes. */
const MAX_TYPES = 60;

/** What a launch may ask EC2 for: one capacity type, and types by their cheapest offering. */
export interface Candidates {
  readonly capacityType: CapacityType;
  readonly list: readonly Candidate[];
}

/** What a launch asks of the types it may use. */
export interface CandidateDemands {
  readonly requirements: Requirements;
  readonly requests: Resources;
  readonly reservations: Reservations;
  readonly minValuesPolicy: ClusterSettings['minValuesPolicy'];
}

/**
 * The types and offerings that a launch may use, or why there are none. Reserved capacity is used
 * where it is allowed and to be had, else spot, else on-demand. O(types × offerings).
 *
 * Source: karpenter AWS provider v1.14, providers/instance/filter, and instance.go.
 */
export function launchCandidates(
  instanceTypes: readonly InstanceType[],
  demands: CandidateDemands,
): Candidates | Rejection {
  const { requirements } = demands;
  const available = instanceTypes.flatMap((type) => candidateOf(type, demands));
  if (available.length === 0) {
    return reject('offerings', 'no instance type that fits can be bought at the moment');
  }
  const minimums = [...requirements.values()].filter(({ minValues }) => minValues !== undefined);
  const bought = allows(requirements, 'reserved')
    ? reservedOnly(available, demands.reservations)
    : available;
  const sensible = minimums.length > 0 ? bought : withoutDearSpot(withoutExotic(bought));
  const cheapest = [...sensible].sort(byPrice).slice(0, MAX_TYPES);
  const unmet = demands.minValuesPolicy === 'Strict' ? firstUnmet(minimums, cheapest) : undefined;
  if (unmet !== undefined) return unmet;
  const capacityType = capacityTypeOf(requirements, cheapest);
  const list = keeping(cheapest, (offering) => offering.capacityType === capacityType);
  return list.length === 0
    ? reject('offerings', `no ${capacityType} capacity can be bought at the moment`)
    : { capacityType, list };
}

function candidateOf(
  type: InstanceType,
  { requirements, requests }: CandidateDemands,
): readonly Candidate[] {
  if (!agrees(type.requirements, requirements) || !fits(requests, type.allocatable)) return [];
  const offerings = type.offerings.filter(
    (offering) => isToBeHad(offering, requirements) && agrees(offering.requirements, requirements),
  );
  return offerings.length === 0 ? [] : [{ type, offerings }];
}

/** What is left of a reservation and promised is for those who insist on that reservation. */
function isToBeHad(offering: Offering, requirements: Requirements): boolean {
  const { available, reservationId, reservationCapacity = 0 } = offering;
  if (!available || reservationId === undefined) return available;
  const insistsOn = requirements.get(RESERVATION_ID);
  return reservationCapacity > 0 || (insistsOn !== undefined && has(insistsOn, reservationId));
}

function firstUnmet(
  minimums: readonly Requirement[],
  candidates: readonly Candidate[],
): Rejection | undefined {
  for (const { key, minValues = 0 } of minimums) {
    const values = new Set(
      candidates.flatMap(({ type }) => [...(type.requirements.get(key)?.values ?? [])]),
    );
    if (values.size < minValues) {
      return reject(
        'minValues',
        `only ${values.size} of the ${minValues} values that ${key} must leave can be bought now`,
      );
    }
  }
  return undefined;
}

function allows(requirements: Requirements, capacityType: CapacityType): boolean {
  const asked = requirements.get(CAPACITY_TYPE);
  return asked === undefined || has(asked, capacityType);
}

const capacityTypeOf = (
  requirements: Requirements,
  candidates: readonly Candidate[],
): CapacityType =>
  (['reserved', 'spot'] as const).find(
    (wanted) =>
      allows(requirements, wanted) &&
      candidates.some(({ offerings }) =>
        offerings.some(({ capacityType }) => capacityType === wanted),
      ),
  ) ?? 'on-demand';
