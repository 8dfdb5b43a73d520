import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tableOf } from '#infra/tools/refresh-ec2-table.ts';

const { describeInstanceTypes } = JSON.parse(
  gunzipSync(readFileSync('test/recorded/karpenter-launches.json.gz')).toString(),
);

const recorded = (difference = {}): Parameters<typeof tableOf>[0] => ({
  region: 'us-east-1',
  types: describeInstanceTypes,
  offerings: [
    { InstanceType: 'm5.large', Location: 'us-east-1b' },
    { InstanceType: 'm5.large', Location: 'us-east-1a' },
    { InstanceType: 'c5.large', Location: 'us-east-1a' },
  ],
  zones: [
    { ZoneName: 'us-east-1b', ZoneId: 'use1-az2' },
    { ZoneName: 'us-east-1a', ZoneId: 'use1-az1' },
  ],
  prices: {
    pricedAt: '2026-11-01',
    spotPricesAreEstimates: false,
    onDemandUsd: { 'm5.large': 0.096, 'm5.xlarge': 0.192 },
    spotUsd: { 'm5.large': { 'us-east-1a': 0.04 } },
  },
  limits: { 'm5.large': { networkMbps: 750, branchInterfaces: 9 } },
  ...difference,
});

describe('tableOf', () => {
  it('lists what is sold and priced, by zone', () => {
    const { types, zones } = tableOf(recorded());

    expect(zones.map(({ id }) => id)).toEqual(['use1-az1', 'use1-az2']);
    expect(types).toMatchObject([
      {
        facts: { name: 'm5.large', vcpus: 2, memoryMib: 8192, cardInterfaces: [3], ebsMbps: 4750 },
        onDemandUsdPerHour: 0.096,
        sales: [{ zone: 'us-east-1a' }, { zone: 'us-east-1b' }],
      },
    ]);
  });

  it('takes the mean of the others for a zone whose spot price is not known', () => {
    const spotUsd = { 'm5.large': { 'us-east-1a': 0.04, 'us-east-1c': 0.06 } };
    const prices = { ...recorded().prices, spotUsd };

    expect(tableOf(recorded({ prices })).types[0]?.sales).toEqual([
      { zone: 'us-east-1a', spotUsdPerHour: 0.04 },
      { zone: 'us-east-1b', spotUsdPerHour: 0.05 },
    ]);
  });

  it('says whose prices they are where they are not its own', () => {
    expect(tableOf(recorded({ pricesOf: 'us-east-2' })).pricesBorrowedFrom).toBe('us-east-2');
  });
});
