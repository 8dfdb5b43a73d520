import { EMBEDDED_REGIONS, embeddedTable } from '#lib/aws/embedded-table.ts';
import { compareText } from '#lib/constraints/order.ts';
import { assumedSubnets, catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { DecodedObjects } from '#lib/kube/decode/decode.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { REGION, ZONE } from '#lib/model/labels.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What EC2 sells, as a file of the plan format says it: one list for every NodeClass. */
export interface OfferedTypes {
  readonly region: string;
  readonly pricedAt: string;
  readonly spotPricesAreEstimates: boolean;
  /** Sorted by name. */
  readonly instanceTypes: readonly InstanceType[];
}

/** Where a plan on files looks up what is sold. */
export interface FileCatalog {
  readonly region: string;
  /** One for each zone in which something is sold: what a NodeClass that says nothing resolves to. */
  readonly subnets: readonly ResolvedSubnet[];
  readonly catalogFor: (
    nodeClasses: readonly NodeClass[],
    soldOut: readonly SoldOut[],
    now: EpochMs,
  ) => Catalog;
}

/** Where nothing in the files names a region. Source: the plan format. */
const FALLBACK_REGION = 'us-east-1';

/** The catalogue that a file gives; what it says counts as it is, sold-out offerings aside. */
export function givenCatalog(offered: OfferedTypes): FileCatalog {
  const { region, pricedAt, spotPricesAreEstimates, instanceTypes } = offered;
  return {
    region,
    subnets: subnetsOf(instanceTypes),
    catalogFor: (nodeClasses, soldOut) => ({
      region,
      pricedAt,
      spotPricesAreEstimates,
      byNodeClass: new Map(
        nodeClasses.map(({ meta, status }) => [
          meta.name,
          restricted(instanceTypes, status.subnets, soldOut),
        ]),
      ),
    }),
  };
}

/** The embedded table's catalogue, in the region that the objects name; or why there is none. */
export function embeddedCatalog(
  objects: DecodedObjects,
  settings: Pick<ClusterSettings, 'vmMemoryOverheadPercent'>,
): FileCatalog | { readonly problem: string } {
  const region = regionNamedBy(objects) ?? FALLBACK_REGION;
  const table = embeddedTable(region);
  if (table === undefined) {
    const known = EMBEDDED_REGIONS.join(', ');
    const problem = `the files name the region ${region}, of which no prices are embedded (${known} are): give --catalog`;
    return { problem };
  }
  return {
    region,
    subnets: assumedSubnets(table),
    catalogFor: (nodeClasses, soldOut, now) =>
      catalogOf({ table, nodeClasses, soldOut, settings, now }),
  };
}

/** The region that most of nodes, NodeClasses and NodePools name; of several the first by name. */
function regionNamedBy(objects: DecodedObjects): string | undefined {
  const named = [
    ...objects.nodes.map(({ meta }) => meta.labels),
    ...objects.nodeClaims.map(({ meta }) => meta.labels),
    ...objects.nodePools.map(({ template }) => template.labels),
    ...objects.pods.map(({ nodeSelector }) => nodeSelector),
    ...objects.nodeClasses.flatMap(({ status }) =>
      status.subnets.map((subnet) => ({ [ZONE]: subnet.zone })),
    ),
    ...objects.nodePools.flatMap(({ template }) =>
      template.requirements.flatMap(({ key, operator, values = [] }) =>
        operator === 'In' ? values.map((value) => ({ [key]: value })) : [],
      ),
    ),
  ].flatMap((labels) => regionOf(labels) ?? []);
  const times = [...Map.groupBy(named, (region) => region)];
  times.sort(([a, as], [b, bs]) => bs.length - as.length || compareText(a, b));
  return times[0]?.[0];
}

/** Example: { "topology.kubernetes.io/zone": "us-west-2a" } names us-west-2. */
function regionOf(labels: Readonly<Record<string, string | undefined>>): string | undefined {
  return labels[REGION] ?? /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/.exec(labels[ZONE] ?? '')?.[1];
}

function subnetsOf(types: readonly InstanceType[]): readonly ResolvedSubnet[] {
  const offerings = types.flatMap((type) => type.offerings);
  const zones = new Map(offerings.map(({ zone, zoneId }) => [zone, zoneId]));
  return [...zones]
    .map(([zone, zoneId]) => ({ id: `subnet-${zone}`, zone, zoneId }))
    .sort((a, b) => compareText(a.zone, b.zone));
}

/** The types as one NodeClass can have them: in its zones, without what is sold out. */
function restricted(
  types: readonly InstanceType[],
  subnets: readonly ResolvedSubnet[],
  soldOut: readonly SoldOut[],
): readonly InstanceType[] {
  const zones = new Set(subnets.map(({ zone }) => zone));
  const soldOutKeys = new Set(
    soldOut
      .filter(({ placementGroup }) => placementGroup === undefined)
      .map((one) => offeringKey(one.instanceType, one)),
  );
  return types.map((type) => ({
    ...type,
    offerings: type.offerings
      .filter(({ zone }) => zones.has(zone))
      .map((offering) =>
        soldOutKeys.has(offeringKey(type.name, offering))
          ? { ...offering, available: false }
          : offering,
      ),
  }));
}

const offeringKey = (
  type: string,
  { zone, capacityType }: { readonly zone: string; readonly capacityType: string },
): string => `${type} ${zone} ${capacityType}`;
