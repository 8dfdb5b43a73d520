import { describe, expect, it } from 'vitest';
import { decodeTable, encodeFacts, encodeRegion } from '#lib/ec2/catalog/table-codec.ts';
import { withNews } from '#lib/ec2/offerings/market.ts';
import { aTable, factsOfType } from '#test/build/markets.ts';

const TODAY = '2026-11-20';
const sold = {
  types: [factsOfType('m5.large'), factsOfType('c5.large')],
  zones: [
    { name: 'us-east-1b', id: 'use1-az6' },
    { name: 'us-east-1a', id: 'use1-az4' },
  ],
  soldIn: new Map([
    ['m5.large', new Set(['us-east-1a', 'us-east-1b', 'us-east-1z'])],
    ['c5.large', new Set(['us-east-1b'])],
  ]),
};

describe('withNews', () => {
  it('knows the types and zones that EC2 names, with the prices known before', () => {
    const table = withNews(aTable(), { sold }, TODAY);

    expect(table.zones).toEqual([
      { name: 'us-east-1a', id: 'use1-az4' },
      { name: 'us-east-1b', id: 'use1-az6' },
    ]);
    expect(table.types).toMatchObject([
      { facts: { name: 'c5.large' }, onDemandUsdPerHour: 0, sales: [{ zone: 'us-east-1b' }] },
      {
        facts: { name: 'm5.large' },
        onDemandUsdPerHour: 0.096,
        sales: [{ zone: 'us-east-1a', spotUsdPerHour: 0.0384 }, { zone: 'us-east-1b' }],
      },
    ]);
    expect(table).toMatchObject({ pricedAt: '2026-07-20', spotPricesAreEstimates: true });
  });

  it('leaves out what is sold nowhere that the account may use', () => {
    const nowhere = { ...sold, soldIn: new Map([['m5.large', new Set(['us-east-1z'])]]) };

    expect(withNews(aTable(), { sold: nowhere }, TODAY).types).toEqual([]);
  });

  it('stops calling prices estimated, or borrowed, where they are the region’s own', () => {
    const borrowed = aTable({ pricesBorrowedFrom: 'us-east-2' });
    const spot = new Map([['m5.large', new Map([['us-east-1a', 0.03]])]]);
    const onDemand = { usdByType: new Map([['m5.large', 0.1]]), byZone: new Map() };

    expect(withNews(borrowed, { spot }, TODAY)).toMatchObject({
      spotPricesAreEstimates: false,
      pricesBorrowedFrom: 'us-east-2',
      pricedAt: '2026-07-20',
    });
    const priced = withNews(borrowed, { onDemand }, TODAY);
    expect(priced).not.toHaveProperty('pricesBorrowedFrom');
    expect(priced).toMatchObject({ spotPricesAreEstimates: true, pricedAt: TODAY });
  });

  it('makes a table that survives being written and read', () => {
    const local = { name: 'us-east-1-bos-1a', id: 'bos', priceRegion: 'us-east-1-bos-1' };
    const described = sold.types.map((facts) => ({
      ...facts,
      processorFeatures: ['nested-virtualization'],
      placementStrategies: ['cluster'],
    }));
    const news = {
      sold: {
        types: described,
        zones: [...sold.zones, local],
        soldIn: new Map([...sold.soldIn, ['c5.large', new Set([local.name])]]),
      },
      onDemand: {
        usdByType: new Map([['m5.large', 0.1]]),
        byZone: new Map([[local.name, new Map([['c5.large', 0.2]])]]),
      },
    };
    const table = withNews(aTable(), news, TODAY);
    const files = [
      encodeFacts(
        TODAY,
        table.types.map((type) => type.facts),
      ),
      encodeRegion(table),
    ];
    const [facts, region] = JSON.parse(JSON.stringify(files));

    expect(decodeTable(facts, region)).toEqual(table);
    expect(table.types[0]?.sales).toEqual([{ zone: local.name, onDemandUsdPerHour: 0.2 }]);
  });
});
