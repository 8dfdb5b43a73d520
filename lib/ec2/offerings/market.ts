import { compareText } from '#lib/constraints/order.ts';
import type {
  Ec2Table,
  InstanceTypeFacts,
  RegionalType,
  Sale,
  TableZone,
} from '#lib/ec2/catalog/table.ts';

/** What EC2 says that it sells in a region, whatever it costs. */
export interface SoldTypes {
  readonly types: readonly InstanceTypeFacts[];
  readonly zones: readonly TableZone[];
  /** Names of zones, by type. */
  readonly soldIn: ReadonlyMap<string, ReadonlySet<string>>;
}

/** USD an hour by type; by zone and type where a zone has prices of its own. */
export interface OnDemandPrices {
  readonly usdByType: ReadonlyMap<string, number>;
  readonly byZone: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** USD an hour, by type and zone. */
export type SpotPrices = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** What was asked for anew; what is absent stays as it was. */
export interface MarketNews {
  readonly sold?: SoldTypes;
  readonly onDemand?: OnDemandPrices;
  readonly spot?: SpotPrices;
}

/**
 * The table with what EC2 told anew. On-demand prices are laid over those known before: a type that
 * is not priced any more keeps its price. Spot prices replace them: where EC2 lists none, spot is
 * not sold. `today` (YYYY-MM-DD) dates on-demand prices. O(types × zones).
 *
 * Source: karpenter AWS provider v1.14, providers/pricing and providers/instancetype.
 */
export function withNews(before: Ec2Table, news: MarketNews, today: string): Ec2Table {
  const { pricesBorrowedFrom, ...table } = withTypes(before, news.sold);
  const priced = table.types.map((type) => withSpot(withOnDemand(type, news.onDemand), news.spot));
  return {
    ...table,
    ...(pricesBorrowedFrom !== undefined && !news.onDemand && { pricesBorrowedFrom }),
    pricedAt: news.onDemand ? today : table.pricedAt,
    spotPricesAreEstimates: table.spotPricesAreEstimates && !news.spot,
    types: priced,
  };
}

function withTypes(before: Ec2Table, sold: SoldTypes | undefined): Ec2Table {
  if (sold === undefined) return before;
  const known = new Map(before.types.map((type) => [type.facts.name, type]));
  const zones = [...sold.zones].sort((a, b) => compareText(a.name, b.name));
  const types = [...sold.types].sort((a, b) => compareText(a.name, b.name));
  return {
    ...before,
    zones,
    types: types.flatMap((facts): readonly RegionalType[] => {
      const soldIn = sold.soldIn.get(facts.name) ?? new Set();
      const type = known.get(facts.name);
      const sales = zones
        .filter(({ name }) => soldIn.has(name))
        .map(({ name }) => type?.sales.find(({ zone }) => zone === name) ?? { zone: name });
      const onDemandUsdPerHour = type?.onDemandUsdPerHour ?? 0;
      return sales.length === 0 ? [] : [{ facts, onDemandUsdPerHour, sales }];
    }),
  };
}

function withOnDemand(type: RegionalType, prices: OnDemandPrices | undefined): RegionalType {
  if (prices === undefined) return type;
  const { name } = type.facts;
  return {
    ...type,
    onDemandUsdPerHour: prices.usdByType.get(name) ?? type.onDemandUsdPerHour,
    sales: type.sales.map((sale) => {
      const own = prices.byZone.get(sale.zone)?.get(name);
      return own === undefined ? sale : { ...sale, onDemandUsdPerHour: own };
    }),
  };
}

function withSpot(type: RegionalType, prices: SpotPrices | undefined): RegionalType {
  if (prices === undefined) return type;
  const byZone = prices.get(type.facts.name);
  return {
    ...type,
    sales: type.sales.map(({ spotUsdPerHour: _before, ...sale }): Sale => {
      const spotUsdPerHour = byZone?.get(sale.zone);
      return spotUsdPerHour === undefined ? sale : { ...sale, spotUsdPerHour };
    }),
  };
}
