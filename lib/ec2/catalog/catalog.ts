import type { Requirement } from '#lib/constraints/requirement.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import { imageChoice } from '#lib/ec2/images/image-choice.ts';
import {
  type Availability,
  availabilityAt,
  type OfferingRequirements,
  offeringRequirements,
  offeringsOf,
  type SubnetZone,
  zonesOf,
} from '#lib/ec2/offerings/offerings.ts';
import { inPartitions, placementLabels } from '#lib/ec2/offerings/placement-offerings.ts';
import {
  type ReservationsTaken,
  reservedOfferings,
} from '#lib/ec2/offerings/reserved-offerings.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, ZONE, ZONE_ID } from '#lib/model/labels.ts';
import type { MemoryRecord } from '#lib/model/memory-record.ts';
import type { NodeClass, ResolvedAmi, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { compatibilityWith } from './compatibility.ts';
import { memoryFor } from './discovered-memory.ts';
import { CAPACITY_RESERVATION_KEYS, labelsOf } from './instance-type-labels.ts';
import { nodeNumbersOf } from './node-numbers.ts';
import { type NumberSettings, nodeSettingsOf } from './node-settings.ts';
import type { Ec2Table, RegionalType } from './table.ts';

/** What the catalogue of an instant is made from. */
export interface CatalogSources {
  readonly table: Ec2Table;
  readonly nodeClasses: readonly NodeClass[];
  readonly soldOut: readonly SoldOut[];
  readonly settings: NumberSettings;
  readonly now: EpochMs;
  /** Ids of zones that traffic is shifted away from: nothing is bought there. */
  readonly shiftedZones?: readonly string[];
  /** None where absent. */
  readonly reservationsTaken?: ReservationsTaken;
  /** What nodes told of their memory; nothing where absent. */
  readonly memory?: readonly MemoryRecord[];
}

/**
 * What could be launched for each NodeClass now: every type of the region with the labels and the
 * capacity that the NodeClass gives its nodes, offered where it has subnets. A NodeClass without a
 * resolved subnet has no list. O(NodeClasses × types × zones); 1,235 types take some 30 ms.
 */
export function catalogOf(sources: CatalogSources): Catalog {
  const { table, nodeClasses } = sources;
  const resolved = nodeClasses.filter(({ status }) => status.subnets.length > 0);
  const shop = {
    availableIn: availabilityAt(sources.soldOut, sources.now),
    requirements: offeringRequirements(),
  };
  return {
    region: table.region,
    pricedAt: table.pricedAt,
    spotPricesAreEstimates: table.spotPricesAreEstimates,
    byNodeClass: new Map(
      resolved.map((nodeClass) => [nodeClass.meta.name, instanceTypesOf(sources, nodeClass, shop)]),
    ),
  };
}

/**
 * One subnet for each zone of a region, invented: for a NodeClass that is only assumed to exist,
 * as in a dry run on files.
 */
export const assumedSubnets = (table: Ec2Table): readonly ResolvedSubnet[] =>
  table.zones.map(({ name, id }) => ({ id: `subnet-${name}`, zone: name, zoneId: id }));

/** What all NodeClasses share. */
interface Shop {
  readonly availableIn: ReturnType<typeof availabilityAt>;
  readonly requirements: OfferingRequirements;
}

function instanceTypesOf(
  sources: CatalogSources,
  nodeClass: NodeClass,
  shop: Shop,
): readonly InstanceType[] {
  const { table, settings, memory = [] } = sources;
  const { subnets } = nodeClass.status;
  const zones = zonesOf(subnets);
  const nodeSettings = nodeSettingsOf(nodeClass, settings, memoryFor(nodeClass, memory));
  const offeringsFor = offeringsIn(sources, nodeClass, {
    requirements: shop.requirements,
    available: outsideOf(
      [...(sources.shiftedZones ?? []), ...fullZones(subnets)],
      zones,
      shop.availableIn(nodeClass.status.placementGroup?.id),
    ),
  });
  const group = placementLabels(nodeClass.status.placementGroup);
  const isCompatible = compatibilityWith(nodeClass, nodeSettings.family);
  const boots = bootsWith(nodeClass.status.amis);
  return table.types.map((type) => {
    const own = labelsOf(type.facts, nodeSettings.family, table.region);
    const offerings = offeringsFor(type, isCompatible(type.facts) && boots(own));
    const labels = [
      ...withoutReservations(own, offerings),
      ...group,
      ...labelsOfSale(zones, offerings),
    ];
    return {
      name: type.facts.name,
      requirements: new Map(labels.map((label) => [label.key, label])),
      ...nodeNumbersOf(type.facts, nodeSettings),
      offerings,
    };
  });
}

/**
 * Whether one of these images boots on a type with these labels. Where none does, nothing is
 * offered: upstream plans a node of it, whose launch fails. Before images are known all types are.
 */
function bootsWith(amis: readonly ResolvedAmi[]): (labels: readonly Requirement[]) => boolean {
  if (amis.length === 0) return () => true;
  const choose = imageChoice(amis);
  return (labels) =>
    choose({ requirements: new Map(labels.map((label) => [label.key, label])) }) !== undefined;
}

/**
 * The zones in which no subnet of the NodeClass has an address left.
 *
 * Source: karpenter AWS provider v1.14, cache/unavailableofferings.go, IsUnavailable.
 */
function fullZones(subnets: readonly ResolvedSubnet[]): readonly string[] {
  const open = subnets.filter(({ freeAddresses }) => freeAddresses !== 0);
  const isOpen = new Set(open.map(({ zone }) => zone));
  return subnets.filter(({ zone }) => !isOpen.has(zone)).map(({ zone }) => zone);
}

/** Availability that is none in zones, named by id or name, that nothing is launched into now. */
function outsideOf(
  shifted: readonly string[],
  zones: readonly SubnetZone[],
  available: Availability,
): Availability {
  const away = new Set(
    zones
      .filter(({ id, name }) => shifted.includes(id) || shifted.includes(name))
      .map(({ name }) => name),
  );
  if (away.size === 0) return available;
  return (capacityType, type, zone) => !away.has(zone) && available(capacityType, type, zone);
}

/** Reserved offerings come first: they cost next to nothing. */
function offeringsIn(
  { reservationsTaken: taken = new Map() }: CatalogSources,
  { status }: NodeClass,
  {
    available,
    requirements,
  }: { readonly available: Availability; readonly requirements: OfferingRequirements },
): (type: RegionalType, isCompatible: boolean) => readonly Offering[] {
  const zones = zonesOf(status.subnets);
  const partitioned = inPartitions(status.placementGroup);
  const reservations = Map.groupBy(status.capacityReservations, ({ instanceType }) => instanceType);
  return (type, isCompatible) => {
    const asked = isCompatible ? available : () => false;
    const byTheHour = offeringsOf(type, zones, asked, requirements);
    const own = reservations.get(type.facts.name);
    if (own === undefined) return partitioned(byTheHour);
    const reserved = reservedOfferings(type, zones, own, { available: asked, taken });
    return partitioned([...reserved, ...byTheHour]);
  };
}

/** Whether a node of a type that can be had reserved carries a reservation's labels is open. */
const withoutReservations = (
  labels: readonly Requirement[],
  offerings: readonly Offering[],
): readonly Requirement[] =>
  offerings.some(({ capacityType }) => capacityType === 'reserved')
    ? labels.filter(({ key }) => !CAPACITY_RESERVATION_KEYS.includes(key))
    : labels;

/** The labels that follow from where and how a type is sold. */
function labelsOfSale(
  zones: readonly SubnetZone[],
  offerings: readonly Offering[],
): readonly Requirement[] {
  const sold = new Set(offerings.map(({ zone }) => zone));
  const soldZones = zones.filter(({ name }) => sold.has(name));
  return [
    oneOf(
      ZONE,
      soldZones.map(({ name }) => name),
    ),
    ...zoneIds(soldZones),
    oneOf(CAPACITY_TYPE, [...new Set(offerings.map(({ capacityType }) => capacityType))].sort()),
  ];
}

/** Subnets that do not tell their zone's id leave the label open rather than forbid it. */
const zoneIds = (zones: readonly SubnetZone[]): readonly Requirement[] => {
  const ids = zones.map(({ id }) => id).filter((id) => id !== '');
  return ids.length === 0 ? [] : [oneOf(ZONE_ID, ids)];
};

const oneOf = (key: string, values: readonly string[]): Requirement =>
  requirementOf({ key, operator: 'In', values });
