import { readFileSync } from 'node:fs';
import { type DescribedType, factsOf, type Limits } from '#infra/tools/ec2-answers.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { parseResources } from '#lib/constraints/resources.ts';
import { catalogOf } from '#lib/ec2/catalog.ts';
import type { LaunchContext } from '#lib/ec2/launch.ts';
import type { Ec2Table } from '#lib/ec2/table.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass, ResolvedSubnet } from '#lib/model/node-class.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { someSettings } from '#test/build/snapshots.ts';

interface RecordedTemplate {
  readonly LaunchTemplateName: string;
  readonly LaunchTemplateData: Readonly<Record<string, unknown>>;
  readonly maxPods: number;
}

interface RecordedFleet {
  readonly LaunchTemplateConfigs: readonly {
    readonly LaunchTemplateSpecification: { readonly LaunchTemplateName: string };
    readonly Overrides: readonly unknown[];
  }[];
}

interface RecordedCase {
  readonly id: string;
  readonly nodeClass: {
    readonly spec: Readonly<Record<string, unknown>>;
    readonly status: Readonly<Record<string, unknown>> & {
      readonly subnets: readonly {
        readonly id: string;
        readonly zone: string;
        readonly zoneID: string;
      }[];
    };
  };
  readonly nodeClaim: {
    readonly spec: {
      readonly requirements: readonly RequirementSpec[];
      readonly resources: { readonly requests: Readonly<Record<string, string>> };
    };
  };
  readonly cluster: { readonly name: string; readonly region: string };
  readonly subnetAvailableIPs?: Readonly<Record<string, number>>;
  readonly expected: {
    readonly createLaunchTemplate: readonly RecordedTemplate[];
    readonly createFleet: readonly [RecordedFleet];
  };
}

interface Recorded {
  readonly limits: Limits;
  readonly prices: Readonly<
    Record<
      string,
      {
        readonly onDemand: number;
        readonly spot?: Readonly<Record<string, number>>;
        readonly zones: readonly string[];
      }
    >
  >;
  readonly describeInstanceTypes: readonly DescribedType[];
  readonly cases: readonly RecordedCase[];
}

const recorded: Recorded = JSON.parse(
  readFileSync('test/recorded/karpenter-launches.json', 'utf8'),
);

/** What Karpenter sent, by the name of the case. */
export const RECORDED_LAUNCHES: readonly (readonly [string, RecordedCase])[] = recorded.cases.map(
  (one) => [one.id, one],
);

/** The types and prices that the recorded launches chose from. */
const recordedTable = (region: string): Ec2Table => ({
  region,
  pricedAt: '2026-11-01',
  spotPricesAreEstimates: false,
  zones: [],
  types: recorded.describeInstanceTypes.flatMap((described) => {
    const price = recorded.prices[described.InstanceType];
    if (price === undefined) return [];
    const sales = price.zones.map((zone) => {
      const spotUsdPerHour = price.spot?.[zone];
      return { zone, ...(spotUsdPerHour === undefined ? {} : { spotUsdPerHour }) };
    });
    return [
      { facts: factsOf(described, recorded.limits), onDemandUsdPerHour: price.onDemand, sales },
    ];
  }),
});

/** A recorded case as our own nouns. */
export function inputsOf(one: RecordedCase): {
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly context: LaunchContext;
} {
  const { spec, status } = one.nodeClass;
  const subnets: readonly ResolvedSubnet[] = status.subnets.map(({ id, zone, zoneID }) => ({
    id,
    zone,
    zoneId: zoneID,
    freeAddresses: one.subnetAvailableIPs?.[id] ?? 0,
  }));
  const nodeClass = aNodeClass({ spec, status: { ...status, subnets }, wire: spec });
  const settings = someSettings({ clusterName: one.cluster.name, region: one.cluster.region });
  const { requirements, resources } = one.nodeClaim.spec;
  const claim = aNewClaim({ spec: { requirements, requests: amountsOf(resources.requests) } });
  const table = recordedTable(one.cluster.region);
  const catalog = catalogOf({ table, nodeClasses: [nodeClass], soldOut: [], settings, now: 0 });
  return { claim, nodeClass, context: { catalog, settings, attempt: 0 } };
}

function amountsOf(requests: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const amounts: Record<string, number> = {};
  for (const [name, amount] of Object.entries(parseResources(requests))) {
    if (typeof amount === 'number') amounts[name] = amount;
  }
  return amounts;
}
