import { describe, expect, it } from 'vitest';
import { givenCatalog } from '#lib/cli/file-catalog.ts';
import type { SoldOut } from '#lib/model/sold-out.ts';
import { anInstanceType } from '#test/build/instance-types.ts';
import { aNodeClass } from '#test/build/node-pools.ts';

const catalog = givenCatalog({
  region: 'us-east-1',
  pricedAt: '2026-11-01',
  spotPricesAreEstimates: false,
  instanceTypes: [anInstanceType('m5.large', { zones: ['us-east-1a', 'us-east-1b'] })],
});

const nodeClassIn = (...zones: readonly string[]) =>
  aNodeClass({ status: { subnets: zones.map((zone) => ({ id: zone, zone, zoneId: zone })) } });

function offerings(zones: readonly string[], soldOut: readonly SoldOut[] = []) {
  const { byNodeClass } = catalog.catalogFor([nodeClassIn(...zones)], soldOut, 0);
  const [type] = byNodeClass.get('default') ?? [];
  return type?.offerings.map(({ zone, available }) => `${zone} ${available}`);
}

describe('givenCatalog', () => {
  it('has a subnet in every zone in which something is sold', () => {
    expect(catalog.subnets.map(({ zone }) => zone)).toEqual(['us-east-1a', 'us-east-1b']);
  });

  it('offers what a NodeClass has a subnet for', () => {
    expect(new Set(offerings(['us-east-1b']))).toEqual(new Set(['us-east-1b true']));
  });

  it('marks what is sold out', () => {
    const types = ['on-demand', 'spot'] as const;
    const soldOut = types.map((capacityType) => ({
      capacityType,
      instanceType: 'm5.large',
      zone: 'us-east-1a',
      until: 1,
    }));

    expect(new Set(offerings(['us-east-1a', 'us-east-1b'], soldOut))).toEqual(
      new Set(['us-east-1a false', 'us-east-1b true']),
    );
  });
});
