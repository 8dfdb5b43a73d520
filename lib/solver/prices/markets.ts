import type { Offering } from '#lib/model/instance-type.ts';
import { type Admissions, admissionsFor, type Choice } from '../admission.ts';
import { type Amounts, isWithin } from '../amounts.ts';
import type { Source, SourceType } from '../sources.ts';
import type { DemandClass, Lot } from './demand-classes.ts';
import type { PriceRow } from './linear-program.ts';

/**
 * Offerings that the pods at hand cannot tell apart: the same classes may run on all of them.
 * Reserved ones belong to no market: they cost next to nothing, but there are only so many.
 */
interface Market {
  /** Places in the list of classes, ascending. */
  readonly classes: readonly number[];
  /** One for each type, at its cheapest offering here, with what pods can really use of it. */
  readonly rows: readonly PriceRow[];
  /** The most that any of its types has of each resource. */
  readonly largest: Amounts;
}

/** All markets, and which one an offering of a Source belongs to; undefined where to none. */
export interface Markets {
  readonly list: readonly Market[];
  readonly placeOf: (offering: Offering) => number | undefined;
}

/** Which offerings make one market: all that the same pods may use, or only those of like size. */
export type Parting = 'byUse' | 'bySize';

/**
 * The markets of `classes`, whatever wishes they give up. More markets tell more, if there is the
 * time to find their prices. Cost: classes × offerings.
 */
export function marketsOf(
  classes: readonly DemandClass[],
  sources: readonly Source[],
  admissions: Admissions,
): Readonly<Record<Parting, Markets>> {
  const wares = new Map<Offering, Ware>();
  const byUse = partedByUse(wares, classes, { sources, admissions });
  const bySize = partedBySize(wares, byUse, classes);
  return {
    byUse: marketsIn('byUse', wares, { members: byUse, classes }),
    bySize: marketsIn('bySize', wares, { members: bySize, classes }),
  };
}

/** An offering that some pod may use, and the places of its markets. */
interface Ware extends Record<Parting, number> {
  readonly usdPerHour: number;
  readonly sourceType: SourceType;
}

/** For each market the classes that may use it, as places in their list. */
type Members = readonly (readonly number[])[];

function marketsIn(
  parting: Parting,
  wares: ReadonlyMap<Offering, Ware>,
  { members, classes }: { readonly members: Members; readonly classes: readonly DemandClass[] },
): Markets {
  const cheapest = members.map(() => new Map<SourceType, number>());
  for (const ware of wares.values()) {
    const ofMarket = cheapest[ware[parting]];
    const known = ofMarket?.get(ware.sourceType) ?? Number.POSITIVE_INFINITY;
    if (ware.usdPerHour < known) ofMarket?.set(ware.sourceType, ware.usdPerHour);
  }
  const list = members.map((ofMarket, place) => {
    const steps = stepsOf(ofMarket.flatMap((at) => classes[at]?.lots ?? []));
    const rows: PriceRow[] = [];
    for (const [{ roomAmounts }, usdPerHour] of cheapest[place] ?? []) {
      rows.push({ amounts: inSteps(roomAmounts, steps), usdPerHour });
    }
    return { classes: ofMarket, rows, largest: largestOf(rows) };
  });
  return { list, placeOf: (offering) => wares.get(offering)?.[parting] };
}

/** Sorts offerings by who may use them: one class after the other parts those that were alike. */
function partedByUse(
  wares: Map<Offering, Ware>,
  classes: readonly DemandClass[],
  market: Sellers,
): Members {
  const members: (readonly number[])[] = [];
  for (const [at, demandClass] of classes.entries()) {
    const parted = new Map<number, number>();
    const placeBeside = (old: number): number => {
      const place = parted.get(old) ?? members.push([...(members[old] ?? []), at]) - 1;
      parted.set(old, place);
      return place;
    };
    forEachUsable(demandClass, market, (offering, sourceType) => {
      const ware = wares.get(offering);
      if (ware === undefined) {
        const { usdPerHour } = offering;
        wares.set(offering, { usdPerHour, sourceType, byUse: placeBeside(NOWHERE), bySize: 0 });
      } else if (members[ware.byUse]?.at(-1) !== at) {
        ware.byUse = placeBeside(ware.byUse);
      }
    });
  }
  return withoutEmpty('byUse', wares, members);
}

/** Who sells. */
type Sellers = Readonly<{ sources: readonly Source[]; admissions: Admissions }>;

/** What the class may run on once it has given up its wishes, and what holds its smallest pod. */
function forEachUsable(
  { levels, least }: DemandClass,
  { sources, admissions }: Sellers,
  use: (offering: Offering, sourceType: SourceType) => void,
): void {
  const asks = levels.at(-1)?.asks ?? [];
  const useAll = ({ sourceType, offerings }: Choice): void => {
    if (!isWithin(least, sourceType.roomAmounts)) return;
    for (const offering of offerings) {
      if (offering.capacityType !== 'reserved') use(offering, sourceType);
    }
  };
  for (const source of sources) {
    for (const { choices } of admissionsFor(source, asks, admissions)) choices.forEach(useAll);
  }
}

/** The place of what nobody was found to use yet. */
const NOWHERE = -1;

/**
 * Offerings of one place are parted further by which of the pods they hold at all: what large pods
 * cannot use must not make them look cheap.
 */
function partedBySize(
  wares: ReadonlyMap<Offering, Ware>,
  members: Members,
  classes: readonly DemandClass[],
): Members {
  const thresholds = members.map((ofPlace) =>
    thresholdsOf(ofPlace.flatMap((at) => classes[at]?.lots ?? [])),
  );
  const places = new Map<number, number>();
  const parted: (readonly number[])[] = [];
  for (const ware of wares.values()) {
    const old = ware.byUse;
    // Places and sizes as the digits of one number.
    const key = sizeIn(thresholds[old] ?? [], ware.sourceType.roomAmounts) * members.length + old;
    const place = places.get(key) ?? parted.push(members[old] ?? []) - 1;
    places.set(key, place);
    ware.bySize = place;
  }
  return parted;
}

/** How many of the thresholds of each resource lie within `room`, as the digits of one number. */
function sizeIn(thresholds: readonly Amounts[], room: Amounts): number {
  let size = 0;
  for (let axis = 0; axis < thresholds.length; axis++) {
    const ofAxis = thresholds[axis] ?? [];
    let within = 0;
    while (within < ofAxis.length && (ofAxis[within] ?? 0) <= (room[axis] ?? 0)) within += 1;
    size = size * (MOST_SIZES + 1) + within;
  }
  return size;
}

/** How many sizes of pods part the types of a place, for each resource. */
const MOST_SIZES = 4;

/** For each resource some of the amounts that pods ask for, the largest among them. */
function thresholdsOf(lots: readonly Lot[]): readonly Amounts[] {
  return (lots[0]?.amounts ?? []).map((_, axis) => {
    const amounts = [...new Set(lots.map((lot) => lot.amounts[axis] ?? 0))]
      .filter((amount) => amount > 0)
      .sort((a, b) => a - b);
    const step = Math.max(1, amounts.length / MOST_SIZES);
    return amounts.filter((_amount, at) => (at + 1) % step < 1);
  });
}

/** Only the places that still have an offering, in the order in which these come. */
function withoutEmpty(
  parting: Parting,
  wares: ReadonlyMap<Offering, Ware>,
  members: Members,
): Members {
  const places = new Map<number, number>();
  for (const ware of wares.values()) {
    const old = ware[parting];
    const place = places.get(old) ?? places.size;
    places.set(old, place);
    ware[parting] = place;
  }
  return [...places.keys()].map((old) => members[old] ?? []);
}

/** For each resource the largest step of which all amounts are multiples; 0 where nobody asks. */
const stepsOf = (lots: readonly Lot[]): Amounts =>
  (lots[0]?.amounts ?? []).map((_, axis) =>
    lots.reduce((step, { amounts }) => greatestDivisor(step, amounts[axis] ?? 0), 0),
  );

function greatestDivisor(a: number, b: number): number {
  let larger = a;
  let smaller = b;
  while (smaller > 0) {
    const rest = larger % smaller;
    larger = smaller;
    smaller = rest;
  }
  return larger;
}

/** What of `room` pods can use whose amounts are multiples of `steps`. */
function inSteps(room: Amounts, steps: Amounts): Amounts {
  const usable: number[] = [];
  for (let axis = 0; axis < room.length; axis++) {
    const amount = Math.max(0, room[axis] ?? 0);
    const step = steps[axis] ?? 0;
    usable.push(step > 1 ? Math.floor(amount / step) * step : amount);
  }
  return usable;
}

function largestOf(rows: readonly PriceRow[]): Amounts {
  const largest: number[] = [];
  for (const { amounts } of rows) {
    for (let axis = 0; axis < amounts.length; axis++) {
      largest[axis] = Math.max(largest[axis] ?? 0, amounts[axis] ?? 0);
    }
  }
  return largest;
}
