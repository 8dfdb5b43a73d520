import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type DescribedType, factsOf, type Limits } from '#lib/aws/instance-types.ts';
import { catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import type { LaunchContext } from '#lib/ec2/launch/launch.ts';
import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { someSettings } from '#test/build/snapshots.ts';

interface RecordedFleet {
  readonly LaunchTemplateConfigs: readonly {
    readonly LaunchTemplateSpecification: { readonly LaunchTemplateName: string };
    readonly Overrides: readonly unknown[];
  }[];
}

/** What Karpenter's AWS provider was given, and what it sent to EC2 then. */
export interface RecordedLaunch {
  readonly id: string;
  readonly nodeClass: Readonly<Record<string, unknown>>;
  readonly nodeClaim: Readonly<Record<string, unknown>>;
  readonly cluster: Readonly<Record<string, string>>;
  readonly options?: { readonly reservedENIs?: number };
  readonly subnetAvailableIPs?: Readonly<Record<string, number>>;
  readonly capacityReservationAvailable?: Readonly<Record<string, number>>;
  readonly expected: {
    readonly error?: string;
    readonly createLaunchTemplate?: readonly {
      readonly LaunchTemplateName: string;
      readonly LaunchTemplateData: Readonly<Record<string, unknown>>;
      readonly TagSpecifications: readonly unknown[];
    }[];
    readonly createFleet?: readonly [RecordedFleet];
  };
}

interface Recorded {
  readonly tables: Readonly<
    Record<
      string,
      {
        readonly networkBandwidthMbps?: number;
        readonly vpcLimits?: { readonly trunking: boolean; readonly branchInterfaces: number };
      }
    >
  >;
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
  readonly describeInstanceTypes: readonly (DescribedType & { readonly InstanceType: string })[];
  readonly cases: readonly RecordedLaunch[];
}

const recorded: Recorded = JSON.parse(
  gunzipSync(readFileSync('test/recorded/karpenter-launches.json.gz')).toString(),
);

/** What Karpenter sent, by the name of the case. */
export const RECORDED_LAUNCHES: readonly (readonly [string, RecordedLaunch])[] = recorded.cases.map(
  (one) => [one.id, one],
);

const limits: Limits = Object.fromEntries(
  Object.entries(recorded.tables).map(([name, { networkBandwidthMbps, vpcLimits }]) => [
    name,
    {
      ...(networkBandwidthMbps && { networkMbps: networkBandwidthMbps }),
      ...(vpcLimits?.trunking && { branchInterfaces: vpcLimits.branchInterfaces }),
    },
  ]),
);

/** The types and prices that the recorded launches chose from. */
export const recordedTable = (region: string): Ec2Table => ({
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
    return [{ facts: factsOf(described, limits), onDemandUsdPerHour: price.onDemand, sales }];
  }),
});

/** A recorded case as our own nouns. */
export function inputsOf(one: RecordedLaunch): {
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly context: LaunchContext;
} {
  const nodeClass = withCounts(decodeNodeClass(asStored(one.nodeClass)), one);
  const { cluster } = one;
  const settings = someSettings({
    clusterName: cluster.name ?? '',
    clusterEndpoint: cluster.endpoint ?? '',
    clusterCa: cluster.certificateAuthority ?? '',
    serviceCidr: cluster.serviceCidr ?? '',
    clusterDnsIp: cluster.dnsIp ?? '',
    region: cluster.region ?? '',
    reservedInterfaces: one.options?.reservedENIs ?? 0,
  });
  const table = recordedTable(settings.region);
  const catalog = catalogOf({ table, nodeClasses: [nodeClass], soldOut: [], settings, now: 0 });
  return {
    claim: decodeNodeClaim(asStored(one.nodeClaim)),
    nodeClass,
    context: { catalog, settings, attempt: 0 },
  };
}

const asStored = (object: Readonly<Record<string, unknown>>) => ({
  ...object,
  metadata: { uid: 'uid-1', creationTimestamp: '2026-11-20T12:00:00Z', ...Object(object.metadata) },
});

/** What EC2 reported of addresses and reservations stands beside the recorded objects. */
function withCounts(nodeClass: NodeClass, one: RecordedLaunch): NodeClass {
  const { status } = nodeClass;
  return {
    ...nodeClass,
    status: {
      ...status,
      subnets: status.subnets.map((subnet) => {
        const freeAddresses = one.subnetAvailableIPs?.[subnet.id];
        return { ...subnet, ...(freeAddresses === undefined ? {} : { freeAddresses }) };
      }),
      capacityReservations: status.capacityReservations.map((reservation) => ({
        ...reservation,
        availableInstances: one.capacityReservationAvailable?.[reservation.id] ?? 0,
      })),
    },
  };
}
