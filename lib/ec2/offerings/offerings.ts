import { compareText } from '#lib/constraints/order.ts';
import type { Requirement } from '#lib/constraints/requirement.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import { CAPACITY_RESERVATION_KEYS } from '#lib/ec2/catalog/instance-type-labels.ts';
import type { RegionalType } from '#lib/ec2/catalog/table.ts';
import type { CapacityType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, ZONE, ZONE_ID } from '#lib/model/labels.ts';
import type { ResolvedSubnet } from '#lib/model/node-class.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** A zone that a NodeClass has a subnet in. The id is '' where the subnet does not tell it. */
export interface SubnetZone {
  readonly name: string;
  readonly id: string;
}

/** The zones of these subnets, once each, sorted by name. */
export function zonesOf(subnets: readonly ResolvedSubnet[]): readonly SubnetZone[] {
  const ids = new Map(subnets.map(({ zone, zoneId }) => [zone, zoneId]));
  return [...ids].map(([name, id]) => ({ name, id })).sort((a, b) => compareText(a.name, b.name));
}

/** Whether an offering may be asked for: not sold out, as far as is remembered. */
export type Availability = (capacityType: CapacityType, type: string, zone: string) => boolean;

/**
 * What is not sold out at `now`, by what is remembered, in a placement group or in none. What is
 * sold out within a group alone is so for that group only.
 *
 * Source: karpenter AWS provider v1.14, cache/unavailableofferings.go, IsUnavailable.
 */
export function availabilityAt(
  soldOut: readonly SoldOut[],
  now: EpochMs,
): (placementGroup: string | undefined) => Availability {
  const name = (capacityType: string, type: string, zone: string, group = '') =>
    `${capacityType} ${type} ${zone} ${group}`;
  const out = new Set(
    soldOut
      .filter(({ until }) => until > now)
      .map((sold) => name(sold.capacityType, sold.instanceType, sold.zone, sold.placementGroup)),
  );
  return (group) => (capacityType, type, zone) =>
    !out.has(name(capacityType, type, zone)) && !out.has(name(capacityType, type, zone, group));
}

/** Requirements of offerings, made once per zone and capacity type: thousands share them. */
export type OfferingRequirements = (capacityType: CapacityType, zone: SubnetZone) => Requirements;

/** Makes the requirements of offerings and remembers them. */
export function offeringRequirements(): OfferingRequirements {
  const made = new Map<string, Requirements>();
  return (capacityType, zone) => {
    const name = `${capacityType} ${zone.name}`;
    const known = made.get(name) ?? requirementsFor(capacityType, zone);
    made.set(name, known);
    return known;
  };
}

function requirementsFor(capacityType: CapacityType, zone: SubnetZone): Requirements {
  const lines: Requirement[] = [
    requirementOf({ key: CAPACITY_TYPE, operator: 'In', values: [capacityType] }),
    requirementOf({ key: ZONE, operator: 'In', values: [zone.name] }),
    ...CAPACITY_RESERVATION_KEYS.map((key) => requirementOf({ key, operator: 'DoesNotExist' })),
  ];
  if (zone.id !== '') {
    lines.push(requirementOf({ key: ZONE_ID, operator: 'In', values: [zone.id] }));
  }
  return new Map(lines.map((line) => [line.key, line]));
}

/**
 * Every way to buy a type by the hour in the zones of a NodeClass, sorted by price, zone, capacity
 * type. A zone without a subnet has no offering: nothing could be launched there. Nor is there one
 * where no price is known. Local and wavelength zones are zones like any other.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/offering.
 */
export function offeringsOf(
  type: RegionalType,
  zones: readonly SubnetZone[],
  available: Availability,
  requirements: OfferingRequirements,
): readonly Offering[] {
  const classes = new Set(type.facts.usageClasses);
  const offerings = zones.flatMap((zone): readonly Offering[] => {
    const sale = type.sales.find((one) => one.zone === zone.name);
    if (sale === undefined) return [];
    const offer = (capacityType: CapacityType, usdPerHour: number): Offering => ({
      zone: zone.name,
      zoneId: zone.id,
      capacityType,
      usdPerHour,
      available: available(capacityType, type.facts.name, zone.name),
      requirements: requirements(capacityType, zone),
    });
    const { spotUsdPerHour } = sale;
    const onDemand = sale.onDemandUsdPerHour ?? type.onDemandUsdPerHour;
    return [
      ...(classes.has('on-demand') && onDemand > 0 ? [offer('on-demand', onDemand)] : []),
      ...(classes.has('spot') && spotUsdPerHour !== undefined
        ? [offer('spot', spotUsdPerHour)]
        : []),
    ];
  });
  return offerings.sort(
    (a, b) =>
      a.usdPerHour - b.usdPerHour ||
      compareText(a.zone, b.zone) ||
      compareText(a.capacityType, b.capacityType),
  );
}
