import type { Offering } from '#lib/model/instance-type.ts';
import type { Admissions } from './admission.ts';
import { type Amounts, plus, worth } from './amounts.ts';
import { bestPrices } from './linear-program.ts';
import { classesOf, type Demand, type DemandClass, type Markets, marketsOf } from './markets.ts';
import type { PodGroup } from './pod-groups.ts';
import type { Source } from './sources.ts';

/** What pods are worth: the USD per hour below which no way to run them can come. */
export interface Prices {
  /** Of one pod of the group; 0 where it can run on nothing that is for sale. */
  readonly worthOf: (group: PodGroup) => number;
  /** The price of each resource in the market of an offering; undefined where no pod may run. */
  readonly pricesAt: (offering: Offering) => Amounts | undefined;
  /** The dearest price of each resource over all markets. */
  readonly dearest: Amounts;
}

/** In each round after the first, demand counts half where another market was cheaper for it. */
const ROUNDS = 4;

/**
 * Prices of resources at which in every market no node is worth more than it costs, and of pods
 * at which none is worth more than its resources are in any market that it may use.
 *
 * So whatever nodes the pods are put on, a node costs at least what its room is worth there, which
 * is at least what its pods are worth: the sum over pods is a lower bound on what they cost.
 */
export function priceOut(
  demands: readonly Demand[],
  sources: readonly Source[],
  admissions: Admissions,
): Prices {
  const classes = classesOf(demands);
  const markets = marketsOf(classes, sources, admissions);
  const [axes] = classes.map(({ total }) => total.length);
  let shares = markets.list.map((market) => market.classes.map(() => 1));
  let best = priceMarkets(markets, classes, shares);
  let last = best;
  for (let round = 1; round < ROUNDS; round++) {
    const chosen = last.cheapest;
    shares = shares.map((ofMarket, market) =>
      ofMarket.map((share, at) => {
        const member = markets.list[market]?.classes[at] ?? -1;
        return (share + (chosen[member] === market ? 1 : 0)) / 2;
      }),
    );
    last = priceMarkets(markets, classes, shares);
    if (last.total > best.total) best = last;
  }
  const worths = worthsOf(classes, markets, best.prices);
  return {
    worthOf: (group) => worths.get(group) ?? 0,
    pricesAt: (offering) => best.prices[markets.placeOf.get(offering) ?? -1],
    dearest: best.prices.reduce<Amounts>(
      (most, prices) => prices.map((price, axis) => Math.max(price, most[axis] ?? 0)),
      Array.from({ length: axes ?? 0 }, () => 0),
    ),
  };
}

interface Priced {
  readonly prices: readonly Amounts[];
  /** For each class the market in which all of it together is worth least. */
  readonly cheapest: readonly number[];
  readonly total: number;
}

function priceMarkets(
  { list }: Markets,
  classes: readonly DemandClass[],
  shares: readonly (readonly number[])[],
): Priced {
  const prices = list.map((market, place) => {
    const demand = market.classes.reduce<Amounts>((sum, member, at) => {
      const total = classes[member]?.total ?? [];
      return sum.length === 0
        ? total.map((amount) => amount * (shares[place]?.[at] ?? 0))
        : plus(sum, total, shares[place]?.[at] ?? 0);
    }, []);
    return bestPrices(market.rows, demand);
  });
  const least = classes.map(() => Number.POSITIVE_INFINITY);
  const cheapest = classes.map(() => -1);
  list.forEach((market, place) => {
    for (const member of market.classes) {
      const value = worth(prices[place] ?? [], classes[member]?.total ?? []);
      if (value >= (least[member] ?? 0)) continue;
      least[member] = value;
      cheapest[member] = place;
    }
  });
  const total = least.reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);
  return { prices, cheapest, total };
}

/** What a pod of each group is worth: the least over the markets that its class may use. */
function worthsOf(
  classes: readonly DemandClass[],
  { list }: Markets,
  prices: readonly Amounts[],
): ReadonlyMap<PodGroup, number> {
  const worths = new Map<PodGroup, number>();
  list.forEach((market, place) => {
    for (const member of market.classes) {
      for (const group of classes[member]?.groups ?? []) {
        const value = worth(prices[place] ?? [], group.amounts);
        worths.set(group, Math.min(value, worths.get(group) ?? Number.POSITIVE_INFINITY));
      }
    }
  });
  return worths;
}
