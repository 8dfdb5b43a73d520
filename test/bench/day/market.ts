import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { assumedSubnets, catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { Random } from '#lib/sim/random.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';

/** EC2 over a day: what is sold at each minute, spot prices wandering. */
export interface Market {
  readonly catalogAt: (minute: number) => Catalog;
}

/** Spot prices move seldom and by little. Source: EC2 price history, c, m and r of 2026. */
const STEP_MINUTES = 30;
const STEP = 0.03;
const FARTHEST = 0.4;

/** The embedded us-east-1, each spot pool on a walk of its own around the price that it starts at. */
export function openMarket(random: Random): Market {
  const table = embeddedTable('us-east-1');
  if (!table) throw new Error('expected us-east-1 to be embedded');
  const nodeClass = aNodeClass();
  const subnets = assumedSubnets(table);
  const first = catalogOf({
    table,
    nodeClasses: [{ ...nodeClass, status: { ...nodeClass.status, subnets } }],
    soldOut: [],
    settings: { vmMemoryOverheadPercent: 0.075 },
    now: NOON,
  });
  const walks = new Map<string, number>();
  let current = first;
  let steps = 0;
  return {
    catalogAt: (minute) => {
      for (; steps < Math.floor(minute / STEP_MINUTES); steps++) {
        const moved = (type: InstanceType): InstanceType => ({
          ...type,
          offerings: type.offerings
            .map((offering) => {
              if (offering.capacityType !== 'spot') return offering;
              const key = `${type.name} ${offering.zone}`;
              const at = (walks.get(key) ?? 0) + STEP * (2 * random.next() - 1);
              const bounded = Math.min(FARTHEST, Math.max(-FARTHEST, at));
              walks.set(key, bounded);
              const was = spotOf(first, type.name, offering.zone) ?? offering.usdPerHour;
              return { ...offering, usdPerHour: was * Math.exp(bounded) };
            })
            .sort((a, b) => a.usdPerHour - b.usdPerHour || (a.zone < b.zone ? -1 : 1)),
        });
        const byNodeClass = new Map(
          [...first.byNodeClass].map(([name, types]) => [name, types.map(moved)] as const),
        );
        current = { ...first, byNodeClass };
      }
      return current;
    },
  };
}

const prices = new WeakMap<Catalog, ReadonlyMap<string, number>>();

function spotOf(catalog: Catalog, type: string, zone: string): number | undefined {
  const known =
    prices.get(catalog) ??
    new Map(
      [...catalog.byNodeClass.values()]
        .flat()
        .flatMap(({ name, offerings }) =>
          offerings.flatMap(({ capacityType, zone: of, usdPerHour }) =>
            capacityType === 'spot' ? [[`${name} ${of}`, usdPerHour] as const] : [],
          ),
        ),
    );
  prices.set(catalog, known);
  return known.get(`${type} ${zone}`);
}
