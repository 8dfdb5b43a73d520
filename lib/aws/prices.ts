import type { Filter } from '@aws-sdk/client-pricing';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { TableZone } from '#lib/ec2/catalog/table.ts';
import type { OnDemandPrices, SpotPrices } from '#lib/ec2/offerings/market.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { everyPage } from './pages.ts';
import { priceOfProduct } from './price-list.ts';
import { expectSome } from './sold-types.ts';

/** Source: AWS Price List API, GetProducts, MaxResults. */
const PRODUCTS_PAGE = 100;

/** What a product must be to be a Linux machine that is paid by the hour. */
const LINUX_BY_THE_HOUR: Readonly<Record<string, string>> = {
  serviceCode: 'AmazonEC2',
  preInstalledSw: 'NA',
  operatingSystem: 'Linux',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
};
const SHARED = { tenancy: 'Shared', productFamily: 'Compute Instance' };
/** Bare metal is listed as dedicated, whatever tenancy it is launched with. */
const BARE_METAL = { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' };

/**
 * The on-demand prices of the region, and of those of its zones that have their own. Throws where
 * the region's list of machines, or of bare metal, is empty: half a list would misprice the rest.
 * Prices of 0 are not prices. Where the price list is in CNY, so are the figures.
 *
 * Source: karpenter AWS provider v1.14, providers/pricing/pricing.go.
 */
export async function findOnDemandPrices(
  call: AwsCall,
  region: string,
  zones: readonly TableZone[],
): Promise<OnDemandPrices> {
  const places = Map.groupBy(
    zones.filter(({ priceRegion }) => priceRegion !== undefined),
    ({ priceRegion }) => priceRegion ?? '',
  );
  const [shared, bareMetal, ...own] = await Promise.all([
    productPrices(call, { regionCode: region, ...SHARED }),
    productPrices(call, { regionCode: region, ...BARE_METAL }),
    ...[...places].map(async ([priceRegion, inPlace]) => ({
      inPlace,
      prices: await productPrices(call, { regionCode: priceRegion, ...SHARED }),
    })),
  ]);
  expectSome('GetProducts', shared);
  expectSome('GetProducts for bare metal', bareMetal);
  return {
    usdByType: new Map([...shared, ...bareMetal]),
    byZone: new Map(
      own.flatMap(({ inPlace, prices }) => inPlace.map(({ name }) => [name, new Map(prices)])),
    ),
  };
}

async function productPrices(
  call: AwsCall,
  wanted: Readonly<Record<string, string>>,
): Promise<readonly (readonly [string, number])[]> {
  const Filters = Object.entries({ ...LINUX_BY_THE_HOUR, ...wanted }).map(
    ([Field, Value]): Filter => ({ Type: 'TERM_MATCH', Field, Value }),
  );
  const products = await everyPage(
    (page) => call('GetProducts', { ServiceCode: 'AmazonEC2', Filters, ...page }),
    ({ PriceList }) => PriceList ?? [],
    PRODUCTS_PAGE,
  );
  return products.map(priceOfProduct).filter((price) => price !== undefined);
}

/**
 * The spot prices of this moment, by type and zone; the later of two that EC2 tells for one pool.
 * Throws where it tells none at all.
 *
 * Source: EC2 API, DescribeSpotPriceHistory, StartTime; karpenter AWS provider v1.14,
 * providers/pricing/pricing.go.
 */
export async function findSpotPrices(call: AwsCall, now: EpochMs): Promise<SpotPrices> {
  const history = await everyPage(
    (page) =>
      call('DescribeSpotPriceHistory', {
        StartTime: new Date(now),
        ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
        ...page,
      }),
    ({ SpotPriceHistory }) => SpotPriceHistory ?? [],
  );
  expectSome('DescribeSpotPriceHistory', history);
  const oldestFirst = history.toSorted(
    (a, b) => (a.Timestamp?.getTime() ?? 0) - (b.Timestamp?.getTime() ?? 0),
  );
  const prices = new Map<string, Map<string, number>>();
  for (const { InstanceType = '', AvailabilityZone = '', SpotPrice } of oldestFirst) {
    const usdPerHour = Number(SpotPrice);
    if (!(usdPerHour > 0)) continue;
    const byZone = prices.get(InstanceType) ?? new Map<string, number>();
    prices.set(InstanceType, byZone.set(AvailabilityZone, usdPerHour));
  }
  return prices;
}
