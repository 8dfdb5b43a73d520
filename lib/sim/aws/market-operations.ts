import type { MachineType } from '../machine.ts';
import type { Account, Operations } from './account.ts';
import { describePage } from './describe.ts';
import { invalidValue } from './error.ts';
import { usdPerHour } from './market.ts';
import { type Fields, structures, text } from './request.ts';

/**
 * What EC2 sells and for how much: types, where they are sold, zones, spot prices of this moment,
 * and GetProducts of the price list, which knows the region's own on-demand prices and no others.
 */
export const marketOperations = (account: Account): Operations => ({
  DescribeAvailabilityZones: () => ({
    AvailabilityZones: account.zones.map(({ name, id }) => ({
      GroupName: account.region,
      OptInStatus: 'opt-in-not-required',
      RegionName: account.region,
      State: 'available',
      ZoneId: id,
      ZoneName: name,
      ZoneType: 'availability-zone',
    })),
  }),
  DescribeInstanceTypes: (input) => {
    const { items, ...rest } = describePage([...account.types.values()], input, (type) => ({
      values: {
        'instance-type': [type.name],
        'processor-info.supported-architecture': [type.architecture],
        'supported-virtualization-type': ['hvm'],
      },
      tags: {},
    }));
    return {
      ...rest,
      InstanceTypes: items.map(({ described, ...type }) => described ?? plain(type)),
    };
  },
  DescribeInstanceTypeOfferings: (input) => describeOfferings(account, input),
  DescribeSpotPriceHistory: (input) => describeSpotPrices(account, input),
  GetProducts: (input) => getProducts(account, input),
});

function describeOfferings(account: Account, input: Fields): unknown {
  if (text(input, 'LocationType') !== 'availability-zone') {
    throw invalidValue('LocationType', input.LocationType);
  }
  const offerings = [...account.types.values()].flatMap((type) =>
    account.zones
      .filter(({ name }) => (type.onDemandUsd[name] ?? type.spotUsd[name]) !== undefined)
      .map((zone) => ({ type: type.name, zone: zone.name })),
  );
  const { items, ...rest } = describePage(offerings, input, ({ type, zone }) => ({
    values: { 'instance-type': [type], location: [zone] },
    tags: {},
  }));
  return {
    ...rest,
    InstanceTypeOfferings: items.map(({ type, zone }) => ({
      InstanceType: type,
      Location: zone,
      LocationType: 'availability-zone',
    })),
  };
}

function describeSpotPrices(account: Account, input: Fields): unknown {
  const pools = [...account.types.values()].flatMap((type) =>
    account.zones.flatMap(({ name: zone }) => {
      const price = usdPerHour(account, { capacityType: 'spot', type, zone });
      return price === undefined ? [] : [{ type: type.name, zone, price }];
    }),
  );
  const { items, ...rest } = describePage(pools, input, ({ type, zone }) => ({
    values: { 'availability-zone': [zone], 'instance-type': [type] },
    tags: {},
  }));
  return {
    ...rest,
    SpotPriceHistory: items.map(({ type, zone, price }) => ({
      AvailabilityZone: zone,
      InstanceType: type,
      ProductDescription: 'Linux/UNIX',
      SpotPrice: price.toFixed(6),
      Timestamp: new Date(account.clock.now()),
    })),
  };
}

/** A list without bare metal would not be a region's: one that nobody can launch stands for all. */
const SOME_BARE_METAL = { type: 'm5.metal', usd: 4.608 };

function getProducts(account: Account, input: Fields): unknown {
  const wanted = new Map(
    structures(input, 'Filters').map((filter) => [text(filter, 'Field'), text(filter, 'Value')]),
  );
  const isBareMetal = wanted.get('productFamily') === 'Compute Instance (bare metal)';
  const listed = [...account.types.values()].flatMap(({ name, onDemandUsd }) => {
    const [usd] = Object.values(onDemandUsd);
    return usd === undefined || name.includes('metal') !== isBareMetal ? [] : [{ type: name, usd }];
  });
  const some = isBareMetal && listed.length === 0 ? [SOME_BARE_METAL] : listed;
  const priced = wanted.get('regionCode') === account.region ? some : [];
  const { items, ...rest } = describePage(priced, { ...input, Filters: [] }, () => ({
    values: {},
    tags: {},
  }));
  return { ...rest, FormatVersion: 'aws_v1', PriceList: items.map(product) };
}

const product = ({ type, usd }: { readonly type: string; readonly usd: number }): string =>
  JSON.stringify({
    product: { attributes: { instanceType: type, operatingSystem: 'Linux' } },
    serviceCode: 'AmazonEC2',
    terms: {
      OnDemand: {
        [`${type}.JRTCKXETXF`]: {
          priceDimensions: {
            [`${type}.JRTCKXETXF.6YS6EN2CT7`]: {
              pricePerUnit: { USD: usd.toFixed(10) },
              unit: 'Hrs',
            },
          },
        },
      },
    },
  });

/** What EC2 would say of a machine of which nothing else is known: an ordinary one. */
const plain = (type: Omit<MachineType, 'described'>): unknown => ({
  BareMetal: false,
  BurstablePerformanceSupported: false,
  EbsInfo: { EbsOptimizedSupport: 'default', EbsOptimizedInfo: { MaximumBandwidthInMbps: 4_750 } },
  ...(type.gpus && {
    GpuInfo: {
      Gpus: [{ Name: 'T4', MemoryInfo: { SizeInMiB: 16_384 }, ...capitalized(type.gpus) }],
    },
  }),
  Hypervisor: 'nitro',
  ...(type.instanceStorageGb && {
    InstanceStorageInfo: { NvmeSupport: 'required', TotalSizeInGB: type.instanceStorageGb },
  }),
  InstanceType: type.name,
  MemoryInfo: { SizeInMiB: type.memoryMib },
  NetworkInfo: {
    DefaultNetworkCardIndex: 0,
    EnaSupport: 'required',
    EncryptionInTransitSupported: true,
    Ipv4AddressesPerInterface: type.addressesPerInterface,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: type.interfaces }],
  },
  NitroEnclavesSupport: 'unsupported',
  PlacementGroupInfo: { SupportedStrategies: ['cluster', 'partition', 'spread'] },
  ProcessorInfo: {
    Manufacturer: type.architecture === 'arm64' ? 'AWS' : 'Intel',
    SupportedArchitectures: [type.architecture],
    SustainedClockSpeedInGhz: 2.5,
  },
  SupportedUsageClasses: [
    ...(Object.keys(type.onDemandUsd).length > 0 ? ['on-demand'] : []),
    ...(Object.keys(type.spotUsd).length > 0 ? ['spot'] : []),
  ],
  SupportedVirtualizationTypes: ['hvm'],
  VCpuInfo: { DefaultVCpus: type.vcpus, DefaultCores: type.vcpus, DefaultThreadsPerCore: 1 },
});

const capitalized = (gpus: { readonly manufacturer: string; readonly count: number }) => ({
  Manufacturer: gpus.manufacturer,
  Count: gpus.count,
});
