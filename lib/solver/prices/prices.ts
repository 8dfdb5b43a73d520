import type { Offering } from '#lib/model/instance-type.ts';
import type { Admissions } from '../admission.ts';
import { type Amounts, isWithin, most } from '../amounts.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import { classesOf, type Demand, type DemandClass } from './demand-classes.ts';
import { createPricer } from './linear-program.ts';
import { type Markets, marketsOf } from './markets.ts';

/** What pods are worth: the USD per hour below which no way to run them can come. */
export interface Prices {
  /** Of one pod of the group; 0 where it can run on nothing that is for sale. */
  readonly worthOf: (group: PodGroup) => number;
  /** What packing takes a pod of the group to be worth: the same, unless it is corrected. */
  readonly valueOf: (group: PodGroup) => number;
  /** At most this many times as much as it is worth is a pod valued. */
  readonly boost: number;
  /** The price of each resource in the market of an offering; undefined where no pod may run. */
  readonly pricesAt: (offering: Offering) => Amounts | undefined;
  /** The dearest price of each resource over all markets. */
  readonly dearest: Amounts;
  /** Prices of markets that are parted in another way: no better, but other plans come of them. */
  readonly alternative?: () => Prices;
}

/** Markets and pods answer each other at most this often, and as often as this much work allows. */
const MOST_ROUNDS = 40;
const MOST_WORK = 4_000_000;
const FEWEST_ROUNDS = 4;
/** They have said what they had to say after this many rounds that lift the bound by less. */
const MOST_IDLE_ROUNDS = 14;
const PROGRESS = 1 + 1e-4;
/** Sums that differ by less are equal: in which order they were added must not decide. */
const ROUNDING = 1 + 1e-9;
/** Prices that are worth this share of what they could be at best are good enough. */
const GOOD_SHARE = 0.9995;

/**
 * Prices of resources at which in every market no node is worth more than it costs, and of pods
 * at which none is worth more than its resources are in any market that it may use.
 *
 * So whatever nodes the pods are put on, a node costs at least what its room is worth there, which
 * is at least what its pods are worth: the sum over pods is a lower bound on what they cost.
 *
 * Markets are priced for the pods that come, pods go where they are worth least, and each side
 * answers the average of what the other has done so far: fictitious play in a game whose value is
 * the best bound (J. Robinson, An Iterative Method of Solving a Game, 1951). Averages of valid
 * prices are valid, so any round will do.
 *
 * Cost: in each round, lots × markets × resources.
 */
export function priceOut(
  demands: readonly Demand[],
  sources: readonly Source[],
  admissions: Admissions,
): Prices {
  const classes = classesOf(demands);
  const { byUse, bySize } = marketsOf(classes, sources, admissions);
  // Either may give the better bound: sizes tell more, but take more rounds.
  const [coarse, fine] = [playIn(byUse, classes), playIn(bySize, classes)];
  const tellsMore = fine.best.total > coarse.best.total * ROUNDING;
  const [better, other] = tellsMore ? [fine, coarse] : [coarse, fine];
  return { ...pricesOf(better), alternative: () => pricesOf(other) };
}

/** What came of a game. */
interface Played {
  readonly markets: Markets;
  readonly players: readonly Player[];
  readonly best: Priced;
}

function playIn(markets: Markets, classes: readonly DemandClass[]): Played {
  const players = playersOf(classes, markets);
  return { markets, players, best: play(players, markets) };
}

function pricesOf({ markets, players, best }: Played): Prices {
  const worths = new Map<PodGroup, number>();
  for (const [at, { groups }] of players.entries()) {
    for (const group of groups) worths.set(group, best.worths[at] ?? 0);
  }
  const prices = best.prices.map((each) => [...each]);
  const worthOf = (group: PodGroup): number => worths.get(group) ?? 0;
  return {
    worthOf,
    valueOf: worthOf,
    boost: 1,
    pricesAt: (offering) => prices[markets.placeOf(offering) ?? -1],
    dearest: prices.reduce<Amounts>(most, []),
  };
}

/** The pods of one lot, in the game. */
interface Player {
  readonly groups: readonly PodGroup[];
  readonly count: number;
  readonly amounts: Float64Array;
  /** The markets that they may use. */
  readonly homes: readonly number[];
}

const playersOf = (classes: readonly DemandClass[], { list }: Markets): readonly Player[] =>
  classes.flatMap(({ lots }, at) => {
    const open = list.flatMap(({ classes: ofMarket }, place) =>
      ofMarket.includes(at) ? [place] : [],
    );
    return lots.map(({ groups, count, amounts }) => ({
      groups,
      count,
      amounts: Float64Array.from(amounts),
      homes: open.filter((place) => isWithin(amounts, list[place]?.largest ?? [])),
    }));
  });

/** Prices of all markets, what each group's pods are worth at them, and all pods together. */
interface Priced {
  readonly prices: readonly Float64Array[];
  readonly worths: Float64Array;
  readonly total: number;
}

function play(players: readonly Player[], { list }: Markets): Priced {
  const axes = players[0]?.amounts.length ?? 0;
  const pricers = list.map(({ rows }) => createPricer(rows, axes));
  const coming = demandEverywhere(players, list.length, axes);
  const average = pricers.map((pricer, place) => pricer(coming[place] ?? new Float64Array(axes)));
  let answer = answerTo(average, players, axes);
  let best: Priced = answer;
  let progressed = 0;
  const rounds = list.length < 2 ? 0 : roundsFor(players.length * list.length * axes);
  for (let round = 1; round <= rounds; round++) {
    let cost = 0;
    for (const [place, pricer] of pricers.entries()) {
      const demand = mixed(coming[place], answer.going[place], round);
      const prices = pricer(demand);
      cost += product(prices, demand);
      coming[place] = demand;
      average[place] = mixed(average[place], prices, round);
    }
    answer = answerTo(average, players, axes);
    if (answer.total > best.total * PROGRESS) progressed = round;
    if (answer.total > best.total) best = answer;
    if (best.total >= GOOD_SHARE * cost || round - progressed > MOST_IDLE_ROUNDS) break;
  }
  return best;
}

const roundsFor = (work: number): number =>
  Math.max(FEWEST_ROUNDS, Math.min(MOST_ROUNDS, Math.floor(MOST_WORK / Math.max(1, work))));

/** All demand in each market that it may use. */
function demandEverywhere(
  players: readonly Player[],
  markets: number,
  axes: number,
): Float64Array[] {
  const coming = Array.from({ length: markets }, () => new Float64Array(axes));
  for (const { amounts, count, homes } of players) {
    for (const place of homes) addTo(coming[place], amounts, count);
  }
  return coming;
}

/** Each pod goes to the market where it is worth least: what it is worth, and what comes where. */
function answerTo(
  average: readonly Float64Array[],
  players: readonly Player[],
  axes: number,
): Priced & { readonly going: readonly Float64Array[] } {
  const prices = [...average];
  const going = prices.map(() => new Float64Array(axes));
  const worths = new Float64Array(players.length);
  let total = 0;
  for (let at = 0; at < players.length; at++) {
    const { amounts, count, homes } = players[at] ?? NOBODY;
    let least = Number.POSITIVE_INFINITY;
    let home = -1;
    for (let each = 0; each < homes.length; each++) {
      const place = homes[each] ?? 0;
      const value = product(prices[place], amounts);
      if (value < least) {
        least = value;
        home = place;
      }
    }
    if (home < 0) continue;
    worths[at] = least;
    total += least * count;
    addTo(going[home], amounts, count);
  }
  return { prices, worths, total, going };
}

const NOBODY: Pick<Player, 'amounts' | 'count' | 'homes'> = {
  amounts: new Float64Array(),
  count: 0,
  homes: [],
};

const number = (numbers: Float64Array | undefined, at: number): number => numbers?.[at] ?? 0;

function addTo(sum: Float64Array | undefined, amounts: Float64Array, times: number): void {
  for (let axis = 0; sum && axis < sum.length; axis++) {
    sum[axis] = number(sum, axis) + number(amounts, axis) * times;
  }
}

/** The average of all rounds' numbers, when `fresh` are those of the latest one. */
function mixed(
  average: Float64Array | undefined,
  fresh: Float64Array | undefined,
  round: number,
): Float64Array {
  const share = 1 / (round + 1);
  const all = new Float64Array(average?.length ?? 0);
  for (let axis = 0; axis < all.length; axis++) {
    all[axis] = number(average, axis) * (1 - share) + number(fresh, axis) * share;
  }
  return all;
}

function product(a: Float64Array | undefined, b: Float64Array): number {
  let sum = 0;
  for (let axis = 0; axis < b.length; axis++) sum += number(a, axis) * number(b, axis);
  return sum;
}
