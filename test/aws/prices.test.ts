import { describe, expect, it } from 'vitest';
import { typedCall } from '#lib/aws/calls/call.ts';
import { findOnDemandPrices, findSpotPrices } from '#lib/aws/prices.ts';
import { findSoldTypes } from '#lib/aws/sold-types.ts';
import { NOON } from '#test/build/objects.ts';

type Fields = Readonly<Record<string, unknown>>;

/** AWS that answers by these functions, and what it was asked. */
function anAws(answers: Readonly<Record<string, (input: Fields) => unknown>>) {
  const asked: (readonly [string, Fields])[] = [];
  const call = typedCall(async (name, input) => {
    asked.push([name, Object(input)]);
    return answers[name]?.(Object(input)) ?? {};
  });
  return { call, asked };
}

const product = (instanceType: string | undefined, ...prices: readonly string[]): string =>
  JSON.stringify({
    product: { attributes: { instanceType } },
    terms: {
      OnDemand: Object.fromEntries(
        prices.map((USD, at) => [
          `term-${at}`,
          { priceDimensions: { x: { pricePerUnit: { USD } } } },
        ]),
      ),
    },
  });

const filtersOf = ({ Filters }: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Filters as { Field: string; Value: string }[]).map(({ Field, Value }) => [Field, Value]),
  );

/** A price list by region code and product family. */
const listing = (
  lists: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, (input: Fields) => unknown>> => ({
  GetProducts: (input) => {
    const { regionCode, productFamily } = filtersOf(input);
    const isMetal = productFamily === 'Compute Instance (bare metal)';
    return { PriceList: lists[`${regionCode}${isMetal ? ' metal' : ''}`] ?? [] };
  },
});

const LISTS = {
  'us-west-2': [product('m5.large', '0.0960000000'), product('t3.nano', '0.0000000000'), '<html>'],
  'us-west-2 metal': [product('m5.metal', '4.6080000000')],
};

describe('findOnDemandPrices', () => {
  it('knows shared machines and bare metal; 0 is no price, nor is what cannot be read', async () => {
    const { call, asked } = anAws(listing(LISTS));
    const { usdByType } = await findOnDemandPrices(call, 'us-west-2', []);

    expect(Object.fromEntries(usdByType)).toEqual({ 'm5.large': 0.096, 'm5.metal': 4.608 });
    expect(asked.map(([, input]) => filtersOf(input))).toEqual([
      expect.objectContaining({
        tenancy: 'Shared',
        capacitystatus: 'Used',
        operatingSystem: 'Linux',
      }),
      expect.objectContaining({ tenancy: 'Dedicated', preInstalledSw: 'NA' }),
    ]);
  });

  it.each([
    ['machines', { 'us-west-2 metal': LISTS['us-west-2 metal'] }],
    ['bare metal', { 'us-west-2': LISTS['us-west-2'] }],
  ])('takes half a list, without %s, for none', async (_what, lists) => {
    const { call } = anAws(listing(lists));

    await expect(findOnDemandPrices(call, 'us-west-2', [])).rejects.toMatchObject({
      name: 'EmptyAnswer',
    });
  });

  it('asks for the prices of local zones by their own name', async () => {
    const { call } = anAws(
      listing({ ...LISTS, 'us-west-2-lax-1': [product('m5.large', '0.1152000000')] }),
    );
    const zones = ['a', 'b'].map((letter) => ({
      name: `us-west-2-lax-1${letter}`,
      id: `usw2-lax1-az${letter}`,
      priceRegion: 'us-west-2-lax-1',
    }));
    const { byZone } = await findOnDemandPrices(call, 'us-west-2', [
      { name: 'us-west-2a', id: 'usw2-az1' },
      ...zones,
    ]);

    expect([...byZone].map(([zone, prices]) => [zone, prices.get('m5.large')])).toEqual([
      ['us-west-2-lax-1a', 0.1152],
      ['us-west-2-lax-1b', 0.1152],
    ]);
  });

  it('takes the last of several terms, and reads yuan as they come', async () => {
    const yuan = product('m5.large', '1.0', '0.9').replaceAll('"USD"', '"CNY"');
    const { call } = anAws(
      listing({ 'cn-north-1': [yuan, product(undefined, '1')], 'cn-north-1 metal': [yuan] }),
    );
    const { usdByType } = await findOnDemandPrices(call, 'cn-north-1', []);

    expect(Object.fromEntries(usdByType)).toEqual({ 'm5.large': 0.9 });
  });

  it('reads page after page', async () => {
    const pages = [
      { PriceList: [product('m5.large', '0.096')], NextToken: 'more' },
      { PriceList: [product('c5.large', '0.085')] },
    ];
    const { call, asked } = anAws({ GetProducts: ({ NextToken }) => pages[NextToken ? 1 : 0] });
    const { usdByType } = await findOnDemandPrices(call, 'us-east-1', []);

    expect([...usdByType.keys()].sort()).toEqual(['c5.large', 'm5.large']);
    expect(asked.map(([, { MaxResults }]) => MaxResults)).toEqual([100, 100, 100, 100]);
  });
});

describe('findSpotPrices', () => {
  const priced = (zone: string, price: string, at: number) => ({
    InstanceType: 'm5.large',
    AvailabilityZone: zone,
    SpotPrice: price,
    Timestamp: new Date(at),
  });

  it('knows the price of each pool at this moment, the later of two', async () => {
    const SpotPriceHistory = [
      priced('us-east-1a', '0.04', NOON),
      priced('us-east-1a', '0.05', NOON - 1),
      priced('us-east-1b', '0.03', NOON),
      priced('us-east-1c', '0', NOON),
    ];
    const { call, asked } = anAws({ DescribeSpotPriceHistory: () => ({ SpotPriceHistory }) });
    const prices = await findSpotPrices(call, NOON);

    expect(Object.fromEntries(prices.get('m5.large') ?? [])).toEqual({
      'us-east-1a': 0.04,
      'us-east-1b': 0.03,
    });
    expect(asked[0]?.[1]).toMatchObject({ StartTime: new Date(NOON) });
  });

  it('takes no price at all for no answer', async () => {
    await expect(findSpotPrices(anAws({}).call, NOON)).rejects.toThrow(
      'DescribeSpotPriceHistory answered without a single item',
    );
  });
});

describe('findSoldTypes', () => {
  const described = (InstanceType: string, architecture = 'x86_64') => ({
    InstanceType,
    SupportedVirtualizationTypes: ['hvm'],
    ProcessorInfo: {
      SupportedArchitectures: [architecture],
      SupportedFeatures: ['nested-virtualization'],
    },
    PlacementGroupInfo: { SupportedStrategies: ['spread'] },
  });
  const ANSWERS = {
    DescribeInstanceTypes: () => ({
      InstanceTypes: [described('m5.large'), described('mac1.metal', 'x86_64_mac')],
    }),
    DescribeInstanceTypeOfferings: () => ({
      InstanceTypeOfferings: [{ InstanceType: 'm5.large', Location: 'us-west-2a' }],
    }),
    DescribeAvailabilityZones: () => ({
      AvailabilityZones: [
        { ZoneName: 'us-west-2a', ZoneId: 'usw2-az2', ZoneType: 'availability-zone' },
        {
          ZoneName: 'us-west-2-lax-1a',
          ZoneId: 'usw2-lax1-az1',
          ZoneType: 'local-zone',
          GroupName: 'us-west-2-lax-1',
        },
      ],
    }),
  };

  it('knows types that run Linux, the account’s zones, and what is sold where', async () => {
    const { types, zones, soldIn } = await findSoldTypes(anAws(ANSWERS).call);

    expect(types).toMatchObject([
      {
        name: 'm5.large',
        networkMbps: 750,
        processorFeatures: ['nested-virtualization'],
        placementStrategies: ['spread'],
      },
    ]);
    expect(zones).toEqual([
      { name: 'us-west-2a', id: 'usw2-az2' },
      { name: 'us-west-2-lax-1a', id: 'usw2-lax1-az1', priceRegion: 'us-west-2-lax-1' },
    ]);
    expect([...soldIn]).toEqual([['m5.large', new Set(['us-west-2a'])]]);
  });

  it.each(Object.keys(ANSWERS))('takes an empty %s for no answer', async (operation) => {
    const { call } = anAws({ ...ANSWERS, [operation]: () => ({}) });

    await expect(findSoldTypes(call)).rejects.toThrow(operation);
  });
});
