import { requirementsOf } from '#lib/constraints/requirements.ts';
import { type Resources, subtractResources } from '#lib/constraints/resources.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { CapacityType, InstanceType, Offering } from '#lib/model/instance-type.ts';
import { spec } from './constraints.ts';
import { GIB } from './objects.ts';

const SPOT_SHARE = 0.4;

/** What a test may say of an instance type. Prices are on-demand; spot is 40 % of them. */
export interface TypeDifference {
  readonly cpu?: number;
  readonly memoryGib?: number;
  readonly pods?: number;
  readonly usdPerHour?: number;
  readonly arch?: 'amd64' | 'arm64';
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
  readonly more?: Resources;
  readonly overhead?: Resources;
  /** Lines of requirements beside the usual ones, as `spec` reads them. */
  readonly requirements?: readonly string[];
  /** Zone and capacity type of offerings that are sold out: "us-east-1a/spot". */
  readonly soldOut?: readonly string[];
}

/**
 * An instance type of linux, in us-east-1a, b and c, on-demand and spot: 2 cpu, 4 GiB per cpu, 5
 * cents an hour per cpu unless said otherwise. Nothing is kept back of its capacity.
 */
export function anInstanceType(name = 'm5.large', difference: TypeDifference = {}): InstanceType {
  const { cpu = 2, arch = 'amd64', pods = 29, overhead = {}, more = {} } = difference;
  const { zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'] } = difference;
  const { capacityTypes = ['on-demand', 'spot'], requirements = [] } = difference;
  const memoryGib = difference.memoryGib ?? cpu * 4;
  const [family = '', size = ''] = name.split('.');
  const capacity = { cpu: cpu * 1000, memory: memoryGib * GIB, pods, ...more };
  return {
    name,
    requirements: requirementsOf(
      [
        `node.kubernetes.io/instance-type In ${name}`,
        `kubernetes.io/arch In ${arch}`,
        'kubernetes.io/os In linux',
        'topology.kubernetes.io/region In us-east-1',
        `topology.kubernetes.io/zone In ${zones.join(' ')}`,
        `karpenter.sh/capacity-type In ${capacityTypes.join(' ')}`,
        `karpenter.k8s.aws/instance-family In ${family}`,
        `karpenter.k8s.aws/instance-size In ${size}`,
        `karpenter.k8s.aws/instance-category In ${/^[a-z]+/.exec(family)?.[0] ?? family}`,
        `karpenter.k8s.aws/instance-generation In ${/\d+/.exec(family)?.[0] ?? '0'}`,
        `karpenter.k8s.aws/instance-cpu In ${cpu}`,
        `karpenter.k8s.aws/instance-memory In ${memoryGib * 1024}`,
        ...requirements,
      ].map((text) => spec(text)),
    ),
    capacity,
    overhead,
    allocatable: subtractResources(capacity, overhead),
    offerings: offeringsOf(zones, capacityTypes, difference),
  };
}

function offeringsOf(
  zones: readonly string[],
  capacityTypes: readonly CapacityType[],
  { cpu = 2, usdPerHour = cpu * 0.05, soldOut = [] }: TypeDifference,
): Offering[] {
  const offerings = zones.flatMap((zone) =>
    capacityTypes.map((capacityType) => ({
      zone,
      zoneId: `use1-az${zone.charCodeAt(zone.length - 1) - 96}`,
      capacityType,
      usdPerHour: capacityType === 'spot' ? usdPerHour * SPOT_SHARE : usdPerHour,
      available: !soldOut.includes(`${zone}/${capacityType}`),
      requirements: requirementsOf([
        spec(`topology.kubernetes.io/zone In ${zone}`),
        spec(`karpenter.sh/capacity-type In ${capacityType}`),
      ]),
    })),
  );
  return offerings.sort(
    (a, b) =>
      a.usdPerHour - b.usdPerHour ||
      (a.zone < b.zone ? -1 : a.zone > b.zone ? 1 : a.capacityType < b.capacityType ? -1 : 1),
  );
}

/** m5.large to m5.4xlarge: 2, 4, 8 and 16 cpu. */
export const M5_TYPES: readonly InstanceType[] = [
  anInstanceType('m5.large', { cpu: 2 }),
  anInstanceType('m5.xlarge', { cpu: 4, pods: 58 }),
  anInstanceType('m5.2xlarge', { cpu: 8, pods: 58 }),
  anInstanceType('m5.4xlarge', { cpu: 16, pods: 234 }),
];

/** A catalog that offers the same types to each of these NodeClasses. */
export const aCatalog = (
  types: readonly InstanceType[] = M5_TYPES,
  nodeClasses: readonly string[] = ['default'],
): Catalog => ({
  region: 'us-east-1',
  pricedAt: '2026-11-01',
  spotPricesAreEstimates: true,
  byNodeClass: new Map(
    nodeClasses.map((name) => [name, [...types].sort((a, b) => (a.name < b.name ? -1 : 1))]),
  ),
});
