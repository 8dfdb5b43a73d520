import type { Offering } from '#lib/model/instance-type.ts';
import { type Admissions, admissionsFor, type Choice } from '../admission.ts';
import { type Amounts, isWithin, most } from '../amounts.ts';
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

/** All markets, and which one an offering of a Source belongs to. */
export interface Markets {
  readonly list: readonly Market[];
  readonly placeOf: ReadonlyMap<Offering, number>;
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
  const byUse = partition(classes, sources, admissions);
  return {
    byUse: marketsIn(byUse, classes),
    bySize: marketsIn(withoutEmpty(partedBySize(byUse, classes)), classes),
  };
}

function marketsIn(
  { sellers, placeOf, members }: Partition,
  classes: readonly DemandClass[],
): Markets {
  const cheapest = members.map(() => new Map<SourceType, number>());
  for (const [offering, place] of placeOf) {
    const type = sellers.get(offering);
    const rows = cheapest[place];
    if (!type || !rows) continue;
    const known = rows.get(type) ?? Number.POSITIVE_INFINITY;
    rows.set(type, Math.min(known, offering.usdPerHour));
  }
  const list = members.map((ofMarket, place) => {
    const steps = stepsOf(ofMarket.flatMap((at) => classes[at]?.lots ?? []));
    const rows = [...(cheapest[place] ?? [])].map(([{ roomAmounts }, usdPerHour]) => ({
      amounts: roomAmounts.map((room, axis) => wholeSteps(room, steps[axis] ?? 0)),
      usdPerHour,
    }));
    return { classes: ofMarket, rows, largest: largestOf(rows) };
  });
  return { list, placeOf };
}

interface Partition {
  readonly sellers: ReadonlyMap<Offering, SourceType>;
  readonly placeOf: ReadonlyMap<Offering, number>;
  /** The classes that may use the offerings of each place. */
  readonly members: readonly (readonly number[])[];
}

/** Sorts offerings by who may use them: one class after the other parts those that were alike. */
function partition(
  classes: readonly DemandClass[],
  sources: readonly Source[],
  admissions: Admissions,
): Partition {
  const sellers = new Map<Offering, SourceType>();
  const placeOf = new Map<Offering, number>();
  const members: (readonly number[])[] = [];
  for (const [at, each] of classes.entries()) {
    const parted = new Map<number, number>();
    for (const [offering, sourceType] of usableBy(each, sources, admissions)) {
      sellers.set(offering, sourceType);
      const old = placeOf.get(offering) ?? -1;
      const place = parted.get(old) ?? members.length;
      if (place === members.length) members.push([...(members[old] ?? []), at]);
      parted.set(old, place);
      placeOf.set(offering, place);
    }
  }
  return withoutEmpty({ sellers, placeOf, members });
}

/**
 * Offerings of one place are parted further by which of the pods they hold at all: what large pods
 * cannot use must not make them look cheap.
 */
function partedBySize(
  { sellers, placeOf, members }: Partition,
  classes: readonly DemandClass[],
): Partition {
  const thresholds = members.map((ofPlace) =>
    thresholdsOf(ofPlace.flatMap((at) => classes[at]?.lots ?? [])),
  );
  const places = new Map<number, number>();
  const parted = new Map<Offering, number>();
  const partedMembers: (readonly number[])[] = [];
  for (const [offering, old] of placeOf) {
    const room = sellers.get(offering)?.roomAmounts ?? [];
    // Places and sizes as the digits of one number.
    const key = sizeIn(thresholds[old] ?? [], room) * members.length + old;
    const place = places.get(key) ?? partedMembers.length;
    if (place === partedMembers.length) {
      places.set(key, place);
      partedMembers.push(members[old] ?? []);
    }
    parted.set(offering, place);
  }
  return { sellers, placeOf: parted, members: partedMembers };
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

/** Only the places that still have an offering. */
function withoutEmpty({ sellers, placeOf, members }: Partition): Partition {
  const places = new Map<number, number>();
  const renumbered = new Map<Offering, number>();
  for (const [offering, old] of placeOf) {
    const place = places.get(old) ?? places.size;
    places.set(old, place);
    renumbered.set(offering, place);
  }
  return {
    sellers,
    placeOf: renumbered,
    members: [...places.keys()].map((old) => members[old] ?? []),
  };
}

/** What the class may run on once it has given up its wishes, and what holds its smallest pod. */
function usableBy(
  { levels, least }: DemandClass,
  sources: readonly Source[],
  admissions: Admissions,
): ReadonlyMap<Offering, SourceType> {
  const asks = levels.at(-1)?.asks ?? [];
  const usable = new Map<Offering, SourceType>();
  const addFrom = ({ sourceType, offerings }: Choice): void => {
    if (!isWithin(least, sourceType.roomAmounts)) return;
    for (const offering of offerings) {
      if (offering.capacityType !== 'reserved') usable.set(offering, sourceType);
    }
  };
  for (const source of sources) {
    for (const { choices } of admissionsFor(source, asks, admissions)) choices.forEach(addFrom);
  }
  return usable;
}

/** For each resource the largest step of which all amounts are multiples; 0 where nobody asks. */
const stepsOf = (lots: readonly Lot[]): Amounts =>
  (lots[0]?.amounts ?? []).map((_, axis) =>
    lots.reduce((step, { amounts }) => greatestDivisor(step, amounts[axis] ?? 0), 0),
  );

function greatestDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** What of `room` pods can use whose amounts are multiples of `step`. */
const wholeSteps = (room: number, step: number): number =>
  step > 1 ? Math.floor(Math.max(0, room) / step) * step : Math.max(0, room);

const largestOf = (rows: readonly PriceRow[]): Amounts =>
  rows.map(({ amounts }) => amounts).reduce(most, []);
