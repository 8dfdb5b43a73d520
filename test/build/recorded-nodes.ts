import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type DescribedType, factsOf, type Limits } from '#lib/aws/instance-types.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { isBadAmount, parseResources, type Resources } from '#lib/constraints/resources.ts';
import { nodeNumbersOf } from '#lib/ec2/catalog/node-numbers.ts';
import { nodeSettingsOf } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import { decodeNodeClaim } from '#lib/kube/decode/decode-node-claim.ts';
import { decodeNodeClass } from '#lib/kube/decode/decode-node-class.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { someSettings } from '#test/build/snapshots.ts';

type Quantities = Readonly<Record<string, string>>;

/** One question to Karpenter's AWS provider and its answer, as test/recorded keeps them. */
export interface RecordedNode {
  readonly id: string;
  readonly nodeClass: Readonly<Record<string, unknown>>;
  readonly nodeClaim?: Readonly<Record<string, unknown>>;
  readonly instanceType: string;
  readonly cluster?: Quantities;
  readonly options?: {
    readonly vmMemoryOverheadPercent?: number;
    readonly reservedENIs?: number;
    readonly nodeClassCEL?: boolean;
  };
  readonly expected: {
    readonly error?: string;
    readonly userData?: string;
    readonly imageId?: string;
    readonly capacity: Quantities;
    readonly allocatable: Quantities;
    readonly overhead: Readonly<
      Record<'kubeReserved' | 'systemReserved' | 'evictionThreshold', Quantities>
    >;
    readonly requirements?: readonly RequirementSpec[];
  };
}

interface RecordedFile {
  readonly cases: readonly RecordedNode[];
  readonly describeInstanceTypes: readonly DescribedType[];
  readonly tables: Readonly<
    Record<
      string,
      {
        readonly networkBandwidthMbps?: number;
        readonly vpcLimits?: {
          readonly trunking: boolean;
          readonly branchInterfaces: number;
          readonly ipv4PerInterface: number;
        };
      }
    >
  >;
}

/** The cases of a recorded file and the facts of the types that they ask about. */
export function recordedNodes(file: 'karpenter-user-data' | 'karpenter-allocatable'): {
  readonly cases: readonly RecordedNode[];
  readonly factsOf: (instanceType: string) => InstanceTypeFacts;
} {
  const bytes = gunzipSync(readFileSync(`test/recorded/${file}.json.gz`));
  const { cases, describeInstanceTypes, tables }: RecordedFile = JSON.parse(bytes.toString());
  const limits: Limits = Object.fromEntries(
    Object.entries(tables).map(([name, { networkBandwidthMbps, vpcLimits }]) => [
      name,
      {
        ...(networkBandwidthMbps && { networkMbps: networkBandwidthMbps }),
        ...(vpcLimits?.trunking && { branchInterfaces: vpcLimits.branchInterfaces }),
      },
    ]),
  );
  const facts = new Map(
    describeInstanceTypes.map((type) => [type.InstanceType, factsOf(type, limits)]),
  );
  return {
    cases,
    factsOf: (name) => {
      const found = facts.get(name);
      if (found === undefined) throw new Error(`expected a description of ${name}, found none`);
      return found;
    },
  };
}

const decoded = <T>(decode: (wire: unknown) => T, wire: Readonly<Record<string, unknown>>): T =>
  decode({
    ...wire,
    metadata: {
      uid: 'uid-1',
      creationTimestamp: '2026-11-20T12:00:00Z',
      ...Object(wire.metadata),
    },
  });

export const nodeClassOf = (recorded: RecordedNode): NodeClass =>
  decoded(decodeNodeClass, recorded.nodeClass);

export const nodeClaimOf = ({ nodeClaim = {} }: RecordedNode): NodeClaim =>
  decoded(decodeNodeClaim, nodeClaim);

/** Recorded quantities as amounts. */
export function amountsOf(quantities: Quantities): Resources {
  const amounts = parseResources(quantities);
  if (isBadAmount(amounts)) throw new Error(`expected quantities, found ${amounts.problem}`);
  return amounts;
}

/** The settings of a recorded cluster. */
export const settingsOf = ({ cluster, options = {} }: RecordedNode) =>
  someSettings({
    clusterName: cluster?.name ?? '',
    clusterEndpoint: cluster?.endpoint ?? '',
    clusterCa: cluster?.certificateAuthority ?? '',
    serviceCidr: cluster?.serviceCidr ?? '',
    clusterDnsIp: cluster?.dnsIp ?? '',
    vmMemoryOverheadPercent: options.vmMemoryOverheadPercent ?? 0.075,
    reservedInterfaces: options.reservedENIs ?? 0,
    kubeletExpressions: options.nodeClassCEL ?? false,
  });

/** The numbers that Joinery has for a recorded node. */
export const numbersOf = (recorded: RecordedNode, facts: InstanceTypeFacts) =>
  nodeNumbersOf(facts, nodeSettingsOf(nodeClassOf(recorded), settingsOf(recorded)));
