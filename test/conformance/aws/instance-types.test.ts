import { describe, expect, it } from 'vitest';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { specsOfRequirements } from '#lib/constraints/requirements.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import { addResources } from '#lib/constraints/resources.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import { NOON } from '#test/build/objects.ts';
import {
  amountsOf,
  nodeClassOf,
  numbersOf,
  recordedNodes,
  settingsOf,
} from '#test/build/recorded-nodes.ts';

const { cases, factsOf } = recordedNodes('karpenter-allocatable');

/** A device that is not there is 0 for upstream, and absent here. */
const there = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount !== 0));

/**
 * Where a node keeps more than it has, upstream goes below 0 and lets no pod onto it; here it has
 * no room for pods at all.
 */
function startable(allocatable: Resources): Resources {
  const isStartable = Object.values(allocatable).every((amount) => amount >= 0);
  const left = Object.entries(allocatable).map(([name, amount]) => [name, Math.max(0, amount)]);
  return there({ ...Object.fromEntries(left), ...(!isStartable && { pods: 0 }) });
}

/** Here a type whose NodeClass has no placement group says so; upstream leaves it open. */
const isOnlyOurs = ({ key, operator }: RequirementSpec): boolean =>
  key.startsWith('karpenter.k8s.aws/placement-group-') && operator === 'DoesNotExist';

const sorted = (specs: readonly RequirementSpec[]) =>
  specs
    .filter((spec) => !isOnlyOurs(spec))
    .map(({ key, operator, values = [] }) => `${key} ${operator} ${[...values].sort()}`)
    .sort();

describe('a node of a type, as Karpenter counts it', () => {
  it.each(cases.map((one) => [one.id, one] as const))('has and leaves the same: %s', (_id, one) => {
    const { capacity, overhead, allocatable } = numbersOf(one, factsOf(one.instanceType));
    const { expected } = one;
    const parts = [
      expected.overhead.kubeReserved,
      expected.overhead.systemReserved,
      expected.overhead.evictionThreshold,
    ];

    expect(there(capacity)).toEqual(there(amountsOf(expected.capacity)));
    expect(there(overhead)).toEqual(there(parts.map(amountsOf).reduce(addResources)));
    expect(there(allocatable)).toEqual(startable(amountsOf(expected.allocatable)));
  });

  const described = cases.filter(({ expected }) => expected.requirements !== undefined);

  it.each(described.map((one) => [one.id, one] as const))(
    'carries the same labels: %s',
    (_id, one) => {
      const nodeClass = nodeClassOf(one);
      const facts = factsOf(one.instanceType);
      const sales = nodeClass.status.subnets.map(({ zone }) => ({ zone, spotUsdPerHour: 1 }));
      const table: Ec2Table = {
        region: 'us-east-1',
        pricedAt: '',
        spotPricesAreEstimates: false,
        zones: nodeClass.status.subnets.map(({ zone, zoneId }) => ({ name: zone, id: zoneId })),
        types: [{ facts, onDemandUsdPerHour: 2, sales }],
      };
      const catalog = catalogOf({
        table,
        nodeClasses: [nodeClass],
        soldOut: [],
        settings: settingsOf(one),
        now: NOON,
      });
      const [type] = catalog.byNodeClass.get(nodeClass.meta.name) ?? [];

      expect(sorted(specsOfRequirements(type?.requirements ?? new Map()))).toEqual(
        sorted(one.expected.requirements ?? []),
      );
    },
  );
});
