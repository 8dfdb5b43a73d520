import type { Requirement } from '#lib/constraints/requirement.ts';
import { requirementOf } from '#lib/constraints/requirement.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, ZONE, ZONE_ID } from '#lib/model/labels.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { labelsOf } from './instance-type-labels.ts';
import { nodeNumbersOf } from './node-numbers.ts';
import { type NodeSettings, type NumberSettings, nodeSettingsOf } from './node-settings.ts';
import {
  type Availability,
  availabilityAt,
  bootsOn,
  type OfferingRequirements,
  offeringRequirements,
  offeringsOf,
  type SubnetZone,
  zonesOf,
} from './offerings.ts';
import type { Ec2Table, RegionalType } from './table.ts';

/** What the catalogue of an instant is made from. */
export interface CatalogSources {
  readonly table: Ec2Table;
  readonly nodeClasses: readonly NodeClass[];
  readonly soldOut: readonly SoldOut[];
  readonly settings: NumberSettings;
  readonly now: EpochMs;
}

/**
 * What could be launched for each NodeClass now: every type of the region with the labels and the
 * capacity that the NodeClass gives its nodes, offered where it has subnets. A NodeClass without a
 * resolved subnet has no list. O(NodeClasses × types × zones); 1,235 types take some 30 ms.
 */
export function catalogOf(sources: CatalogSources): Catalog {
  const { table, nodeClasses } = sources;
  const resolved = nodeClasses.filter(({ status }) => status.subnets.length > 0);
  const available = availabilityAt(sources.soldOut, sources.now);
  const requirements = offeringRequirements();
  return {
    region: table.region,
    pricedAt: table.pricedAt,
    spotPricesAreEstimates: table.spotPricesAreEstimates,
    byNodeClass: new Map(
      resolved.map((nodeClass) => [
        nodeClass.meta.name,
        instanceTypesOf(sources, nodeClass, available, requirements),
      ]),
    ),
  };
}

/**
 * One subnet for each zone of a region, invented: for a NodeClass that is only assumed to exist,
 * as in a dry run on files.
 */
export const assumedSubnets = (table: Ec2Table): readonly ResolvedSubnet[] =>
  table.zones.map(({ name, id }) => ({ id: `subnet-${name}`, zone: name, zoneId: id }));

function instanceTypesOf(
  { table, settings }: CatalogSources,
  nodeClass: NodeClass,
  available: Availability,
  requirements: OfferingRequirements,
): readonly InstanceType[] {
  const zones = zonesOf(nodeClass.status.subnets);
  const nodeSettings = nodeSettingsOf(nodeClass, settings);
  return table.types.map((type) => {
    const boots = bootsOn(nodeSettings.family, type.facts.name);
    const inZones = offeringsOf(type, zones, boots ? available : () => false, requirements);
    return instanceTypeOf(type, nodeSettings, table.region, { zones, offerings: inZones });
  });
}

interface Sold {
  readonly zones: readonly SubnetZone[];
  readonly offerings: readonly Offering[];
}

function instanceTypeOf(
  type: RegionalType,
  settings: NodeSettings,
  region: string,
  { zones, offerings }: Sold,
): InstanceType {
  const sold = new Set(offerings.map(({ zone }) => zone));
  const soldZones = zones.filter(({ name }) => sold.has(name));
  const labels = [
    ...labelsOf(type.facts, settings.family, region),
    oneOf(
      ZONE,
      soldZones.map(({ name }) => name),
    ),
    ...zoneIds(soldZones),
    oneOf(CAPACITY_TYPE, [...new Set(offerings.map(({ capacityType }) => capacityType))].sort()),
  ];
  return {
    name: type.facts.name,
    requirements: new Map(labels.map((label) => [label.key, label])),
    ...nodeNumbersOf(type.facts, settings),
    offerings,
  };
}

/** Subnets that do not tell their zone's id leave the label open rather than forbid it. */
const zoneIds = (zones: readonly SubnetZone[]): readonly Requirement[] => {
  const ids = zones.map(({ id }) => id).filter((id) => id !== '');
  return ids.length === 0 ? [] : [oneOf(ZONE_ID, ids)];
};

const oneOf = (key: string, values: readonly string[]): Requirement =>
  requirementOf({ key, operator: 'In', values });
