/**
 * What Karpenter's AWS provider v1.14 does with one NodeClaim, restated. The numbers are those of
 * our list of its behaviours; upstream's own suites are providers/instance, providers/subnet and
 * providers/launchtemplate.
 */
import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { Launch } from '#lib/model/launch.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import { aNodeClass } from '#test/build/node-pools.ts';
import { aReservation, withReserved } from '#test/build/reserved.ts';
import { someSettings } from '#test/build/snapshots.ts';

interface Case {
  readonly requirements?: readonly (readonly [
    key: string,
    values: readonly string[],
    min?: number,
  ])[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, number>>;
  readonly types?: readonly InstanceType[];
  readonly nodeClass?: NodeClass;
  readonly region?: string;
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  readonly promised?: Readonly<Record<string, number>>;
}

const ANY_TYPE = [anInstanceType('m5.large')];

function launching(one: Case) {
  const { requirements = [], types = ANY_TYPE, nodeClass = aNodeClass() } = one;
  const claim = aNewClaim({
    meta: { annotations: one.annotations ?? {} },
    spec: {
      requirements: requirements.map(([key, values, minValues]) => ({
        key,
        operator: 'In' as const,
        values,
        ...(minValues === undefined ? {} : { minValues }),
      })),
      ...(one.requests === undefined ? {} : { requests: one.requests }),
    },
  });
  const settings = someSettings({
    region: one.region ?? 'us-east-1',
    minValuesPolicy: one.minValuesPolicy ?? 'Strict',
  });
  const catalog = aCatalog([...types]);
  const { promised = {} } = one;
  return launchOf([claim], undefined, nodeClass, { catalog, settings, attempt: 0, promised });
}

function launched(one: Case): Launch {
  const launch = launching(one);
  if (isRejection(launch)) throw new Error(launch.because);
  return launch;
}

/** The overrides of a launch, as "type zone subnet". */
const optionsOf = ({ request }: Launch): readonly string[] =>
  JSON.stringify(request)
    .match(/\{"InstanceType".*?\}/g)
    ?.map((text) => JSON.parse(text))
    .map((one) => `${one.InstanceType} ${one.AvailabilityZone} ${one.SubnetId}`) ?? [];

const typesOf = (launch: Launch): readonly string[] => [
  ...new Set(optionsOf(launch).map((option) => option.split(' ')[0] ?? '')),
];

const templateOf = (one: Case): unknown => launched(one).launchTemplates[0]?.data;

const CAPACITY = 'karpenter.sh/capacity-type';
const TYPE = 'node.kubernetes.io/instance-type';
const RESERVED = { requirements: [[CAPACITY, ['reserved', 'spot', 'on-demand']]] } as const;

const inOneZone = (...subnets: readonly (readonly [id: string, free: number])[]) =>
  aNodeClass({
    status: {
      subnets: subnets.map(([id, freeAddresses]) => ({
        id,
        zone: 'us-east-1a',
        zoneId: 'use1-az1',
        freeAddresses,
      })),
    },
  });

const reserving = (...reservations: readonly ReturnType<typeof aReservation>[]): Case => ({
  ...RESERVED,
  types: [withReserved(anInstanceType('m5.large'), reservations)],
  nodeClass: aNodeClass({ status: { capacityReservations: reservations } }),
});

describe('subnets', () => {
  const oneZone = { types: [anInstanceType('m5.large', { zones: ['us-east-1a'], pods: 1 })] };

  it('1: two launches in a row go to different subnets when addresses are tight', () => {
    const nodeClass = inOneZone(['subnet-b', 11], ['subnet-a', 10]);
    let promised: Record<string, number> = {};
    const chosen = [1, 2, 3].map(() => {
      const { addresses } = launched({ ...oneZone, nodeClass, promised });
      for (const [id, count] of Object.entries(addresses)) {
        promised = { ...promised, [id]: (promised[id] ?? 0) + count };
      }
      return Object.keys(addresses).join();
    });

    expect(chosen).toEqual(['subnet-b', 'subnet-b', 'subnet-a']);
  });

  it('2: only the subnet with more free addresses is asked for', () => {
    const nodeClass = inOneZone(['subnet-a', 10], ['subnet-b', 100]);

    expect(optionsOf(launched({ ...oneZone, nodeClass }))).toEqual([
      'm5.large us-east-1a subnet-b',
    ]);
  });
});

describe('filters', () => {
  const zones = ['us-east-1a'];

  it('10: spot dearer than the cheapest on-demand offering is left out', () => {
    const types = [
      anInstanceType('m5.large', { zones, usdPerHour: 5 }),
      anInstanceType('p3.large', { zones, usdPerHour: 25, capacityTypes: ['spot'] }),
    ];

    expect(typesOf(launched({ types }))).toEqual(['m5.large']);
    expect(
      typesOf(launched({ types, requirements: [[TYPE, ['m5.large', 'p3.large'], 1]] })),
    ).toEqual(['m5.large', 'p3.large']);
    expect(typesOf(launched({ types: types.slice(1) }))).toEqual(['p3.large']);
  });

  it('11: of more than 60 types the 60 cheapest are asked for', () => {
    const types = Array.from({ length: 70 }, (_, at) =>
      anInstanceType(`m${at}.large`, {
        zones,
        usdPerHour: 70 - at,
        capacityTypes: ['on-demand'],
      }),
    );
    const options = typesOf(launched({ types }));

    expect(options).toHaveLength(60);
    expect(options).not.toContain('m0.large');
    expect(options).toContain('m69.large');
  });

  it('12: metal and accelerators only where nothing else will do, or minValues ask', () => {
    const metal = anInstanceType('m5.metal', { zones, usdPerHour: 0.01 });
    const types = [anInstanceType('m5.large', { zones }), metal];

    expect(typesOf(launched({ types }))).toEqual(['m5.large']);
    expect(typesOf(launched({ types: [metal] }))).toEqual(['m5.metal']);
    expect(
      typesOf(launched({ types, requirements: [[TYPE, ['m5.large', 'm5.metal'], 2]] })),
    ).toEqual(['m5.metal', 'm5.large']);
  });

  it('97: too few types for minValues are no capacity, unless minimums are an effort', () => {
    const requirements = [[TYPE, ['m5.large'], 2]] as const;

    expect(launching({ requirements })).toMatchObject({ rejected: true, by: 'minValues' });
    expect(launching({ requirements, minValuesPolicy: 'BestEffort' })).not.toHaveProperty(
      'rejected',
    );
  });
});

describe('capacity reservations', () => {
  it('91: a plain one is bought on demand, from it and nothing else', () => {
    const one = reserving(aReservation());

    expect(launched(one).capacityType).toBe('reserved');
    expect(templateOf(one)).toMatchObject({
      CapacityReservationSpecification: {
        CapacityReservationPreference: 'capacity-reservations-only',
        CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
      },
    });
    expect(templateOf(one)).not.toHaveProperty('InstanceMarketOptions');
    expect(launched(one).request).toMatchObject({
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand' },
    });
  });

  it('91: a block and an interruptible one have markets of their own', () => {
    const block = reserving(aReservation({ reservationType: 'capacity-block' }));
    const interruptible = reserving(aReservation({ interruptible: true }));

    expect(templateOf(block)).toMatchObject({
      InstanceMarketOptions: { MarketType: 'capacity-block' },
    });
    expect(launched(block).request).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'capacity-block' },
    });
    expect(launched(block).request).not.toHaveProperty('OnDemandOptions');
    expect(templateOf(interruptible)).toMatchObject({
      InstanceMarketOptions: { MarketType: 'interruptible-capacity-reservation' },
    });
    expect(launched(interruptible).request).toMatchObject({
      ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] },
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'reserved-capacity' },
    });
  });

  it('93: of two for one type in one zone the one with more left', () => {
    const two = aReservation({ id: 'cr-2', availableInstances: 2 });
    const launch = launched(reserving(aReservation(), two));

    expect(optionsOf(launch)).toHaveLength(1);
    expect(JSON.stringify(launch.launchTemplates)).toContain('"CapacityReservationId":"cr-2"');
  });

  it.each([
    ['default', {}, { reservationType: 'capacity-block' as const }],
    ['default', {}, { interruptible: true }],
    ['capacity-block', { reservationType: 'capacity-block' as const }, { interruptible: true }],
  ])('94: of equal price, %s comes first', (_kind, first, second) => {
    const winner = aReservation({ id: 'cr-winner', ...first });
    const other = aReservation({ id: 'cr-other', ...second });
    const launch = launched(reserving(other, winner));

    expect(JSON.stringify(launch.launchTemplates)).toContain('cr-winner');
    expect(JSON.stringify(launch.launchTemplates)).not.toContain('cr-other');
  });

  it('falls back to what is not reserved where nothing is left of them', () => {
    const launch = launched(reserving(aReservation({ availableInstances: 0 })));

    expect(launch.capacityType).toBe('spot');
    expect(launch.launchTemplates[0]?.data).toMatchObject({
      CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
    });
  });
});

describe('the request', () => {
  it('95: carries the context of the NodeClass, unless minimums were relaxed', () => {
    const nodeClass = aNodeClass({ spec: { context: 'r-1' } });
    const annotations = { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' };

    expect(launched({ nodeClass }).request).toMatchObject({ Context: 'r-1' });
    expect(launched({ nodeClass, annotations }).request).not.toHaveProperty('Context');
  });

  it('96: lets our order of prices count where they were overlaid', () => {
    const annotations = { 'karpenter.sh/price-overlay-applied': 'true' };
    const onDemand = [[CAPACITY, ['on-demand']]] as const;

    expect(launched({ annotations }).request).toMatchObject({
      SpotOptions: { AllocationStrategy: 'capacity-optimized-prioritized' },
    });
    expect(launched({ annotations, requirements: onDemand }).request).toMatchObject({
      OnDemandOptions: { AllocationStrategy: 'prioritized' },
    });
  });

  it.each([
    ['default', undefined],
    ['default', ['default', 'dedicated']],
    ['dedicated', ['dedicated']],
  ])('98: tenancy %s for %j', (tenancy, values) => {
    const key = 'karpenter.k8s.aws/instance-tenancy';
    const requirements = values === undefined ? [] : [[key, values] as const];

    expect(templateOf({ requirements })).toMatchObject({ Placement: { Tenancy: tenancy } });
  });

  it('101: an interface for EFA alone has no addresses and tracks nothing', () => {
    const nodeClass = aNodeClass({
      spec: {
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
        ],
        ipPrefixCount: 2,
        associatePublicIPAddress: false,
        connectionTracking: { udpTimeout: 45 },
      },
    });
    const full = {
      AssociatePublicIpAddress: false,
      Ipv4PrefixCount: 2,
      ConnectionTrackingSpecification: { UdpTimeout: 45 },
    };

    expect(templateOf({ nodeClass })).toMatchObject({ NetworkInterfaces: [full, {}] });
    expect(Object.keys(Object(templateOf({ nodeClass })).NetworkInterfaces[1]).sort()).toEqual([
      'DeviceIndex',
      'Groups',
      'InterfaceType',
      'NetworkCardIndex',
    ]);
  });

  it.each([
    ['200G', 187],
    ['4G', 4],
    ['2G', 2],
  ])('103: a disk of %s has %i GiB', (volumeSize, gib) => {
    const blockDeviceMappings = [{ deviceName: '/dev/xvda', ebs: { volumeSize } }];

    expect(templateOf({ nodeClass: aNodeClass({ spec: { blockDeviceMappings } }) })).toMatchObject({
      BlockDeviceMappings: [{ Ebs: { VolumeSize: gib } }],
    });
  });

  it('104: tags whatever is made, the spot request included', () => {
    const launch = launched({ nodeClass: aNodeClass({ spec: { tags: { Name: 'x' } } }) });
    const tag = '{"Key":"Name","Value":"x"}';
    const kinds = (text: string) => text.match(/(?<="ResourceType":")[a-z-]+/g);

    expect(kinds(JSON.stringify(launch.request))).toEqual(['instance', 'volume', 'fleet']);
    expect(JSON.stringify(launch.request).split(tag)).toHaveLength(4);
    expect(kinds(JSON.stringify(launch.launchTemplates))).toEqual([
      'network-interface',
      'spot-instances-request',
    ]);
    expect(launch.launchTemplates[0]?.tags).toMatchObject({ Name: 'x' });
  });

  it('105, 106: keeps tags from the metadata service, and IPv6 where it has none', () => {
    const metadata = (region: string) => Object(templateOf({ region })).MetadataOptions;

    expect(metadata('us-east-1')).toMatchObject({ InstanceMetadataTags: 'disabled' });
    expect(metadata('us-east-1')).toHaveProperty('HttpProtocolIpv6');
    expect(metadata('us-iso-east-1')).not.toHaveProperty('HttpProtocolIpv6');
  });

  it('107: each architecture has a template of its own; an image for no type is an error', () => {
    const ami = (id: string, arch: string) => ({
      id,
      name: id,
      deprecated: false,
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: [arch] }],
    });
    const types = [anInstanceType('m5.large'), anInstanceType('m6g.large', { arch: 'arm64' })];
    const amis = [ami('ami-x86', 'amd64'), ami('ami-arm', 'arm64'), ami('ami-older', 'arm64')];
    const images = launched({ types, nodeClass: aNodeClass({ status: { amis } }) });

    expect(images.launchTemplates.map(({ data }) => Object(data).ImageId).sort()).toEqual([
      'ami-arm',
      'ami-x86',
    ]);
    const none = aNodeClass({ status: { amis: [ami('ami-other', 'riscv64')] } });
    expect(launching({ types, nodeClass: none })).toMatchObject({ by: 'instanceTypes' });
  });

  it('108: the partition asked for, of several the lowest by number', () => {
    const placementGroup = {
      id: 'pg-1',
      name: 'p',
      strategy: 'partition',
      partitions: 12,
    } as const;
    const nodeClass = aNodeClass({
      spec: { placementGroupSelector: { name: 'p' } },
      status: { placementGroup },
    });
    const inPartition = (...values: readonly string[]) =>
      templateOf({
        nodeClass,
        requirements: [['karpenter.k8s.aws/placement-group-partition', values]],
      });

    expect(inPartition('3')).toMatchObject({ Placement: { GroupId: 'pg-1', PartitionNumber: 3 } });
    expect(inPartition('10', '2')).toMatchObject({ Placement: { PartitionNumber: 2 } });
    expect(Object(templateOf({ nodeClass })).Placement).not.toHaveProperty('PartitionNumber');
  });
});
