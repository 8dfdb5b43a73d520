import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { type CatalogSources, catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { Ec2Table, InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { aNodeClass } from './node-pools.ts';
import { NOON } from './objects.ts';
import { someSettings } from './snapshots.ts';

const ZONES = ['a', 'b', 'c'].map((letter, at) => ({
  name: `us-east-1${letter}`,
  id: `use1-az${at + 1}`,
}));

/** The embedded facts of a type. */
export function factsOfType(name: string): InstanceTypeFacts {
  const found = embeddedTable('us-east-1')?.types.find(({ facts }) => facts.name === name);
  if (found === undefined) throw new Error(`expected an embedded type, found ${name}`);
  return found.facts;
}

/** m5.large and m5.xlarge at $0.096 and $0.192, spot at 40 % of it, in three zones. */
export const aTable = (difference: Partial<Ec2Table> = {}): Ec2Table => ({
  region: 'us-east-1',
  pricedAt: '2026-07-20',
  spotPricesAreEstimates: true,
  zones: ZONES,
  types: (
    [
      ['m5.large', 0.096, 0.0384],
      ['m5.xlarge', 0.192, 0.0768],
    ] as const
  ).map(([name, onDemandUsdPerHour, spotUsdPerHour]) => ({
    facts: factsOfType(name),
    onDemandUsdPerHour,
    sales: ZONES.map((zone) => ({ zone: zone.name, spotUsdPerHour })),
  })),
  ...difference,
});

/** The types that the NodeClass `default` could have, by name. */
export function typesOf(
  difference: Partial<CatalogSources> = {},
): ReadonlyMap<string, InstanceType> {
  const catalog = catalogOf({
    table: aTable(),
    nodeClasses: [aNodeClass()],
    soldOut: [],
    settings: someSettings(),
    now: NOON,
    ...difference,
  });
  return new Map(catalog.byNodeClass.get('default')?.map((type) => [type.name, type]));
}

/** The offerings of a type that can be had now. */
export const availableOf = (
  name: string,
  difference: Partial<CatalogSources> = {},
): readonly Offering[] =>
  typesOf(difference)
    .get(name)
    ?.offerings.filter(({ available }) => available) ?? [];
