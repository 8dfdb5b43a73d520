import { requirementOf } from '#lib/constraints/requirement.ts';
import { agrees, type Requirements } from '#lib/constraints/requirements.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '#lib/model/labels.ts';
import { describeMinimums, unmetMinimums } from '#lib/solver/opening/min-values.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { SourceType } from '#lib/solver/sources.ts';
import type { Blocked } from '../candidates.ts';

/** A type that a launch may choose, and the most that the launch may then cost. */
export interface PricedType {
  readonly sourceType: SourceType;
  /** Those that the claim allows, cheapest first; never empty. */
  readonly offerings: readonly Offering[];
  readonly worstUsdPerHour: number;
}

/**
 * The types of a NodeClaim to be, each with what its launch may cost at worst: the dearest offering
 * of a reservation if there is one, else the dearest of spot, else of on-demand, whatever the zone.
 * Cheapest first, as listed. Types of which nothing can be had are left out.
 *
 * Source: karpenter v1.14, cloudprovider/types.go, WorstLaunchPrice.
 */
export function pricedTypes({ source, instanceTypes, requirements }: SealedClaim): PricedType[] {
  const byName = new Map(source.types.map((each) => [each.type.name, each]));
  return instanceTypes.flatMap((name) => {
    const sourceType = byName.get(name);
    const offerings = (sourceType?.offerings ?? []).filter((each) =>
      agrees(each.requirements, requirements),
    );
    return sourceType && offerings.length > 0
      ? [{ sourceType, offerings, worstUsdPerHour: worstOf(offerings) }]
      : [];
  });
}

const PRECEDENCE = ['reserved', 'spot', 'on-demand'] as const;

/** The most that a launch among these offerings costs, by the order in which EC2 is asked. */
export function worstOf(offerings: readonly Offering[]): number {
  for (const kind of PRECEDENCE) {
    const prices = offerings.flatMap(({ capacityType, usdPerHour }) =>
      capacityType === kind ? [usdPerHour] : [],
    );
    if (prices.length > 0) return Math.max(...prices);
  }
  return Number.POSITIVE_INFINITY;
}

/** Whether a launch may come to be on spot capacity. */
export const admitsSpot = (claim: SealedClaim): boolean =>
  pricedTypes(claim).some(({ offerings }) =>
    offerings.some(({ capacityType }) => capacityType === 'spot'),
  );

/**
 * The claim listing only those of its types that `keeps` lets pass, or what keeps it from being
 * made. Where both spot and on-demand are left, only spot is: a launch that finds no spot capacity
 * must fail rather than cost more than was counted on.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, computeConsolidation.
 */
export function restrictClaim(
  claim: SealedClaim,
  keeps: (type: PricedType) => boolean,
): SealedClaim | Blocked {
  const kept = pricedTypes(claim).filter(keeps);
  const spotOnly = pinned(kept);
  const unmet = unmetBy(claim, spotOnly);
  if (spotOnly.length > 0 && unmet.length > 0) {
    return { by: 'minValues', because: `Filtering by price: ${describeMinimums(unmet)}` };
  }
  return withTypes(claim, spotOnly);
}

/** The minimums of the NodePool that these types do not meet; here they are never lowered. */
const unmetBy = ({ source }: SealedClaim, types: readonly PricedType[]) =>
  unmetMinimums(
    types.map(({ sourceType }) => sourceType),
    source.requirements,
  );

/**
 * The claim with the cheapest of its types only: `count`, or as many more as minimums demand.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, computeSpotToSpotConsolidation.
 */
export function onlyCheapest(claim: SealedClaim, count: number): SealedClaim {
  const types = pricedTypes(claim);
  let kept = count;
  while (kept < types.length && unmetBy(claim, types.slice(0, kept)).length > 0) kept++;
  const restricted = withTypes(claim, types.slice(0, kept));
  return 'by' in restricted ? claim : restricted;
}

function pinned(types: readonly PricedType[]): readonly PricedType[] {
  const isSpot = ({ capacityType }: Offering): boolean => capacityType === 'spot';
  if (!types.some(({ offerings }) => offerings.some(isSpot))) return types;
  return types.flatMap((type) => {
    const offerings = type.offerings.filter(({ capacityType }) => capacityType !== 'on-demand');
    return offerings.length === 0 ? [] : [{ ...type, offerings }];
  });
}

/** The claim listing these types, in their order, with the capacity types that they leave. */
function withTypes(claim: SealedClaim, types: readonly PricedType[]): SealedClaim | Blocked {
  const sorted = types.toSorted(
    (a, b) => cheapestOf(a) - cheapestOf(b) || compareNames(a.sourceType, b.sourceType),
  );
  const [first] = sorted;
  const offering = first?.offerings[0];
  if (!first || !offering) return CANNOT;
  const names = sorted.map(({ sourceType }) => sourceType.type.name);
  const kinds = new Set(
    sorted.flatMap(({ offerings }) => offerings.map(({ capacityType }) => capacityType)),
  );
  return {
    ...claim,
    instanceTypes: names,
    requirements: narrowed(claim.requirements, [
      [INSTANCE_TYPE, [...names].sort()],
      [CAPACITY_TYPE, [...kinds].sort()],
    ]),
    cheapest: { instanceType: first.sourceType.type.name, offering },
  };
}

/** Source of the words: karpenter v1.14, disruption/consolidation.go. */
export const CANNOT: Blocked = { by: 'price', because: "Can't replace with a cheaper node" };

const cheapestOf = ({ offerings }: PricedType): number => offerings[0]?.usdPerHour ?? 0;

const compareNames = (a: SourceType, b: SourceType): number =>
  a.type.name < b.type.name ? -1 : Number(a.type.name > b.type.name);

function narrowed(
  requirements: Requirements,
  values: readonly (readonly [string, readonly string[]])[],
): Requirements {
  const sealed = new Map(requirements);
  for (const [key, listed] of values) {
    const minValues = requirements.get(key)?.minValues;
    const more = minValues === undefined ? {} : { minValues };
    sealed.set(key, requirementOf({ key, operator: 'In', values: listed, ...more }));
  }
  return sealed;
}
