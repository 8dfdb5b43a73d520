import { describe, expect, it } from 'vitest';
import { onDemandPrices, spotPrices } from '#infra/tools/price-list.ts';

const COLUMNS = [
  'SKU',
  'TermType',
  'PriceDescription',
  'PricePerUnit',
  'Product Family',
  'Instance Type',
  'Tenancy',
  'Operating System',
  'CapacityStatus',
  'Pre Installed S/W',
];

const aProduct = (difference: Readonly<Record<string, string>> = {}): string => {
  const product: Readonly<Record<string, string>> = {
    TermType: 'OnDemand',
    PriceDescription: '$0.096 per On Demand, "Linux" m5.large Instance Hour',
    PricePerUnit: '0.0960000000',
    'Product Family': 'Compute Instance',
    'Instance Type': 'm5.large',
    Tenancy: 'Shared',
    'Operating System': 'Linux',
    CapacityStatus: 'Used',
    'Pre Installed S/W': 'NA',
    ...difference,
  };
  return quoted(COLUMNS.map((column) => product[column] ?? ''));
};

const quoted = (cells: readonly string[]): string =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');

async function* priceList(...products: readonly string[]) {
  yield quoted(['FormatVersion', 'v1.0']);
  yield quoted(['Publication Date', '2026-11-01T12:00:00Z']);
  yield quoted(COLUMNS);
  yield* products;
}

describe('onDemandPrices', () => {
  it('reads what Linux costs by the hour, and when that was so', async () => {
    expect(await onDemandPrices(priceList(aProduct()))).toEqual({
      pricedAt: '2026-11-01',
      onDemandUsd: { 'm5.large': 0.096 },
    });
  });

  it.each([
    ['a reservation', { TermType: 'Reserved' }],
    ['Windows', { 'Operating System': 'Windows' }],
    ['preinstalled software', { 'Pre Installed S/W': 'SQL Std' }],
    ['unused capacity', { CapacityStatus: 'AllocatedCapacityReservation' }],
    ['dedicated tenancy', { Tenancy: 'Dedicated' }],
    ['nothing', { PricePerUnit: '0.0000000000' }],
  ])('does not take the price of %s for it', async (_what, difference) => {
    expect((await onDemandPrices(priceList(aProduct(difference)))).onDemandUsd).toEqual({});
  });

  it('finds bare metal under dedicated tenancy', async () => {
    const metal = {
      'Product Family': 'Compute Instance (bare metal)',
      'Instance Type': 'm5.metal',
      Tenancy: 'Dedicated',
    };

    expect((await onDemandPrices(priceList(aProduct(metal)))).onDemandUsd).toEqual({
      'm5.metal': 0.096,
    });
  });

  it('refuses what is no price list', async () => {
    async function* nothing() {
      yield 'hello';
    }

    await expect(onDemandPrices(nothing())).rejects.toThrow('columns');
  });
});

describe('spotPrices', () => {
  it('keeps the latest of each type and zone', () => {
    const at = (Timestamp: string, SpotPrice: string, AvailabilityZone = 'us-east-1a') => ({
      InstanceType: 'm5.large',
      AvailabilityZone,
      SpotPrice,
      Timestamp,
    });

    expect(
      spotPrices([
        at('2026-11-02T00:00:00Z', '0.04'),
        at('2026-11-01T00:00:00Z', '0.05'),
        at('2026-11-01T00:00:00Z', '0.06', 'us-east-1b'),
      ]),
    ).toEqual({ 'm5.large': { 'us-east-1a': 0.04, 'us-east-1b': 0.06 } });
  });
});
