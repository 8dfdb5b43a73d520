import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import { specsOfRequirements } from '#lib/constraints/requirements.ts';
import { formatResources, parseResources } from '#lib/constraints/resources.ts';
import { assumedSubnets, catalogOf } from '#lib/ec2/catalog/catalog.ts';
import type { Ec2Table } from '#lib/ec2/catalog/table.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { KubeletSettings, NodeClass } from '#lib/model/node-class.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { NOON } from '#test/build/objects.ts';

interface ListedType {
  readonly name: string;
  readonly requirements: readonly RequirementSpec[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly overhead: Readonly<Record<string, string>>;
  readonly offerings: readonly { readonly zone: string; readonly usdPerHour: number }[];
}

const listed: readonly ListedType[] = JSON.parse(
  readFileSync('test/scenarios/catalog-small.json', 'utf8'),
).instanceTypes;

const embedded = embeddedTable('us-east-1');
const named = new Set([
  ...listed.map(({ name }) => name),
  ...['a1.large', 'c6g.xlarge', 'm5.metal', 'm6idn.32xlarge', 'p4d.24xlarge', 't3.nano'],
]);
/** The embedded table, without the thousand types that no test here asks for. */
const table: Ec2Table = {
  region: 'us-east-1',
  pricedAt: '',
  spotPricesAreEstimates: true,
  zones: embedded?.zones ?? [],
  types: embedded?.types.filter(({ facts }) => named.has(facts.name)) ?? [],
};

/** Zone names are dealt out differently in each account; these are the account's of the list. */
const THREE_ZONES = [
  { id: 'subnet-a', zone: 'us-east-1a', zoneId: 'use1-az6' },
  { id: 'subnet-b', zone: 'us-east-1b', zoneId: 'use1-az1' },
  { id: 'subnet-c', zone: 'us-east-1c', zoneId: 'use1-az2' },
];

function typesFor(
  difference: Parameters<typeof aNodeClass>[0] = {},
  {
    soldOut = [],
    reservedInterfaces = 0,
  }: { soldOut?: SoldOut[]; reservedInterfaces?: number } = {},
): ReadonlyMap<string, InstanceType> {
  const nodeClass: NodeClass = aNodeClass({
    ...difference,
    status: { subnets: THREE_ZONES, ...difference.status },
  });
  const settings = { vmMemoryOverheadPercent: 0.075, reservedInterfaces };
  const catalog = catalogOf({ table, nodeClasses: [nodeClass], soldOut, settings, now: NOON });
  return new Map(catalog.byNodeClass.get('default')?.map((type) => [type.name, type]));
}

const defaults = typesFor();
const withKubelet = (kubelet: KubeletSettings) => typesFor({ spec: { kubelet } });

const allocatable = (types: ReadonlyMap<string, InstanceType>, name: string) =>
  formatResources(types.get(name)?.allocatable ?? {});

/** Labels that the list derives from names and offerings, or is silent of. */
const DERIVED = [
  'karpenter.k8s.aws/placement-group-id',
  'karpenter.k8s.aws/placement-group-partition',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'karpenter.sh/capacity-type',
];

const sorted = (specs: readonly RequirementSpec[]) =>
  specs
    .filter(({ key }) => !DERIVED.includes(key))
    .map(({ key, operator, values = [] }) => `${key} ${operator} ${[...values].sort().join()}`)
    // Of bare metal upstream says "no hypervisor"; the list leaves the label out.
    .map((line) => line.replace('instance-hypervisor In ', 'instance-hypervisor DoesNotExist '))
    .map((line) =>
      line.replace('DoesNotExist nitro', 'In nitro').replace('DoesNotExist xen', 'In xen'),
    )
    .sort();

describe('catalogOf', () => {
  it.each(listed.map((type) => [type.name, type] as const))(
    'describes %s as AWS and Karpenter do',
    (name, type) => {
      const ours = defaults.get(name);

      expect(sorted(specsOfRequirements(ours?.requirements ?? new Map()))).toEqual(
        sorted(type.requirements),
      );
      expect(ours?.capacity).toEqual(parseResources(type.capacity));
      expect(ours?.overhead).toEqual(parseResources(type.overhead));
      expect(
        ours?.offerings
          .map(({ zone, zoneId, capacityType, usdPerHour }) => ({
            zone,
            zoneId,
            capacityType,
            usdPerHour,
          }))
          .toSorted((a, b) => a.usdPerHour - b.usdPerHour || (a.zone < b.zone ? -1 : 1)),
      ).toEqual(
        type.offerings
          .map((offering) => ({ ...offering, available: undefined }))
          .toSorted((a, b) => a.usdPerHour - b.usdPerHour || (a.zone < b.zone ? -1 : 1)),
      );
    },
  );

  it.each([
    ['m5.large', { cpu: '1930m', memory: '6903Mi', pods: '29' }],
    ['c6g.xlarge', { cpu: '3920m', memory: '6525Mi', pods: '58' }],
    ['p4d.24xlarge', { cpu: '95690m', memory: '1082712Mi', pods: '737', 'nvidia.com/gpu': '8' }],
    ['t3.nano', { memory: '74Mi', pods: '4' }],
    ['g4dn.xlarge', { memory: '14481Mi', 'nvidia.com/gpu': '1' }],
    ['m5.metal', { memory: '355262Mi', pods: '737' }],
    ['inf2.xlarge', { memory: '14162Mi', 'aws.amazon.com/neuron': '1' }],
  ])('leaves to the pods of a %s what a real node leaves them', (name, expected) => {
    expect(allocatable(defaults, name)).toMatchObject(expected);
  });

  it.each<[string, KubeletSettings, Record<string, string>]>([
    ['maxPods', { maxPods: 110 }, { pods: '110', memory: '6903Mi' }],
    ['podsPerCore', { podsPerCore: 4 }, { pods: '8', memory: '6903Mi' }],
    ['podsPerCore of one', { podsPerCore: 1 }, { pods: '2' }],
    ['the smaller of both', { podsPerCore: 4, maxPods: 6 }, { pods: '6' }],
    [
      'systemReserved',
      { systemReserved: { cpu: '100m', memory: '100Mi' } },
      { cpu: '1830m', memory: '6803Mi' },
    ],
    [
      'kubeReserved, by resource',
      { kubeReserved: { memory: '200Mi' } },
      { cpu: '1930m', memory: '7277Mi' },
    ],
    ['evictionHard', { evictionHard: { 'memory.available': '500Mi' } }, { memory: '6503Mi' }],
    [
      'evictionHard in percent',
      { evictionHard: { 'memory.available': '5%' } },
      { memory: '6945924710' },
    ],
    [
      'evictionHard that is off',
      { evictionHard: { 'memory.available': '100%' } },
      { memory: '7003Mi' },
    ],
    [
      'evictionHard that is no quantity, as nothing',
      { evictionHard: { 'memory.available': 'much' } },
      { memory: '7003Mi' },
    ],
    [
      'evictionSoft, not at all',
      { evictionSoft: { 'memory.available': '10%' } },
      { memory: '6903Mi' },
    ],
  ])('counts %s of the NodeClass', (_what, kubelet, expected) => {
    expect(withKubelet(kubelet).get('m5.large')?.allocatable).toMatchObject(
      parseResources(expected),
    );
  });

  it('keeps interfaces back from pods, though kubelet reserves as if they were there', () => {
    const reserved = typesFor({}, { reservedInterfaces: 1 }).get('t3.large');

    expect(reserved?.capacity.pods).toBe(24);
    expect(reserved?.overhead).toEqual(defaults.get('t3.large')?.overhead);
    expect(typesFor({}, { reservedInterfaces: 99 }).get('t3.large')?.capacity.pods).toBe(0);
  });

  it.each<[string, Partial<NodeClass['spec']>, string]>([
    ['the default disk', {}, '20Gi'],
    ['the local disks where they are joined', { instanceStorePolicy: 'RAID0' }, '7600G'],
    [
      'the root volume',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvda', ebs: { volumeSize: '30Gi' } },
          { deviceName: '/dev/xvdb', rootVolume: true, ebs: { volumeSize: '50Gi' } },
        ],
      },
      '50Gi',
    ],
    [
      "the family's own device",
      { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } }] },
      '100Gi',
    ],
    [
      'the default where no disk has that name',
      { blockDeviceMappings: [{ deviceName: '/dev/sdf', ebs: { volumeSize: '100Gi' } }] },
      '20Gi',
    ],
  ])('gives pods the storage of %s', (_what, spec, expected) => {
    const storage = typesFor({ spec }).get('m6idn.32xlarge')?.capacity['ephemeral-storage'];

    expect({ 'ephemeral-storage': storage }).toEqual(
      parseResources({ 'ephemeral-storage': expected }),
    );
  });

  it('marks what is sold out, until the memory of it ends', () => {
    const mark = (until: number): SoldOut => ({
      capacityType: 'spot',
      instanceType: 'm5.large',
      zone: 'us-east-1a',
      until,
    });
    const availableWith = (soldOut: SoldOut[]) =>
      typesFor({}, { soldOut })
        .get('m5.large')
        ?.offerings.filter(({ available }) => available);

    expect(availableWith([])).toHaveLength(6);
    expect(availableWith([mark(NOON + 1)])).toHaveLength(5);
    expect(availableWith([mark(NOON)])).toHaveLength(6);
  });

  it('offers nothing where the NodeClass has no subnet', () => {
    const inOneZone = typesFor({ status: { subnets: THREE_ZONES.slice(0, 1) } });
    const zones = inOneZone.get('m5.large')?.offerings.map(({ zone }) => zone);

    expect(zones).toEqual(['us-east-1a', 'us-east-1a']);
    expect(typesFor({ status: { subnets: [] } }).size).toBe(0);
  });

  it('knows the types that AL2023 does not boot on, but sells none of them', () => {
    const { offerings = [] } = defaults.get('a1.large') ?? {};

    expect(offerings.length).toBeGreaterThan(0);
    expect(offerings.filter(({ available }) => available)).toEqual([]);
  });

  it('knows the types that none of the images boots on, but sells none of them', () => {
    const only = (...values: string[]) => ({
      id: 'ami-1',
      name: 'one',
      deprecated: false,
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values }],
    });
    const isSold = (amis: NodeClass['status']['amis'], name: string) =>
      typesFor({ status: { amis } })
        .get(name)
        ?.offerings.some(({ available }) => available);

    expect(isSold([only('amd64')], 'm5.large')).toBe(true);
    expect(isSold([only('amd64')], 'c6g.xlarge')).toBe(false);
    expect(isSold([only('amd64'), only('arm64')], 'c6g.xlarge')).toBe(true);
    expect(isSold([], 'c6g.xlarge')).toBe(true);
  });

  it('can assume a subnet in every zone of the region', () => {
    expect(assumedSubnets(table).map(({ zone }) => zone)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `us-east-1${letter}`),
    );
  });
});
