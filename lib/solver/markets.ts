import type { Offering } from '#lib/model/instance-type.ts';
import { type Admissions, admissionsFor, type Choice } from './admission.ts';
import { type Amounts, plus } from './amounts.ts';
import type { AskLevel } from './ask.ts';
import type { PriceRow } from './linear-program.ts';
import type { PodGroup } from './pod-groups.ts';
import type { Source, SourceType } from './sources.ts';

/** How many pods of a group there are to be priced. */
export interface Demand {
  readonly group: PodGroup;
  readonly count: number;
}

/** Groups that may use the very same offerings, and what they ask for in all. */
export interface DemandClass {
  readonly levels: readonly AskLevel[];
  /** Which resources they ask for at all. */
  readonly asksFor: readonly boolean[];
  readonly groups: readonly PodGroup[];
  readonly total: Amounts;
}

/**
 * Offerings that the pods at hand cannot tell apart: the same classes may run on all of them.
 * Reserved ones belong to no market: they cost next to nothing, but there are only so many.
 */
interface Market {
  /** Places in the list of classes, ascending. */
  readonly classes: readonly number[];
  /** One for each type, at its cheapest offering here. */
  readonly rows: readonly PriceRow[];
}

/** All markets, and which one an offering of a Source belongs to. */
export interface Markets {
  readonly list: readonly Market[];
  readonly placeOf: ReadonlyMap<Offering, number>;
}

/** The demands by class, in the order in which their classes first appear. */
export function classesOf(demands: readonly Demand[]): readonly DemandClass[] {
  const members = new Map<readonly AskLevel[], Map<string, Demand[]>>();
  for (const demand of demands) {
    const { levels, amounts } = demand.group;
    const ofLevels = members.get(levels) ?? new Map<string, Demand[]>();
    members.set(levels, ofLevels);
    const key = amounts.map((amount) => amount > 0).join();
    const known = ofLevels.get(key);
    if (known) known.push(demand);
    else ofLevels.set(key, [demand]);
  }
  return [...members].flatMap(([levels, ofLevels]) =>
    [...ofLevels.values()].map((list) => classOf(levels, list)),
  );
}

function classOf(levels: readonly AskLevel[], demands: readonly Demand[]): DemandClass {
  const [first] = demands;
  const none = (first?.group.amounts ?? []).map(() => 0);
  return {
    levels,
    asksFor: (first?.group.amounts ?? []).map((amount) => amount > 0),
    groups: demands.map(({ group }) => group),
    total: demands.reduce<Amounts>((sum, each) => plus(sum, each.group.amounts, each.count), none),
  };
}

/** The markets of `classes`, whatever wishes they give up. Cost: classes × offerings. */
export function marketsOf(
  classes: readonly DemandClass[],
  sources: readonly Source[],
  admissions: Admissions,
): Markets {
  const users = usersOf(classes, sources, admissions);
  const places = new Map<string, number>();
  const rowsOf: { readonly classes: readonly number[]; readonly rows: Map<SourceType, number> }[] =
    [];
  const placeOf = new Map<Offering, number>();
  for (const [offering, { type, classes: members }] of users) {
    const key = members.join();
    const place = places.get(key) ?? rowsOf.length;
    places.set(key, place);
    const market = rowsOf[place] ?? { classes: members, rows: new Map<SourceType, number>() };
    rowsOf[place] = market;
    const known = market.rows.get(type) ?? Number.POSITIVE_INFINITY;
    market.rows.set(type, Math.min(known, offering.usdPerHour));
    placeOf.set(offering, place);
  }
  const list = rowsOf.map(({ classes: members, rows }) => ({
    classes: members,
    rows: [...rows].map(([{ roomAmounts: amounts }, usdPerHour]) => ({ amounts, usdPerHour })),
  }));
  return { list, placeOf };
}

/** An offering's type, and the places of the classes that may use it, ascending. */
interface Users {
  readonly type: SourceType;
  readonly classes: number[];
}

function usersOf(
  classes: readonly DemandClass[],
  sources: readonly Source[],
  admissions: Admissions,
): ReadonlyMap<Offering, Users> {
  const users = new Map<Offering, Users>();
  const add = (type: SourceType, offering: Offering, at: number): void => {
    const known = users.get(offering);
    if (!known) users.set(offering, { type, classes: [at] });
    else if (known.classes.at(-1) !== at) known.classes.push(at);
  };
  for (const [at, each] of classes.entries()) {
    for (const { sourceType, offerings } of usableBy(each, sources, admissions)) {
      const unreserved = offerings.filter(({ capacityType }) => capacityType !== 'reserved');
      for (const offering of unreserved) add(sourceType, offering, at);
    }
  }
  return users;
}

/** What the class may run on once it has given up its wishes. */
const usableBy = (
  { levels, asksFor }: DemandClass,
  sources: readonly Source[],
  admissions: Admissions,
): readonly Choice[] =>
  sources
    .flatMap((source) => admissionsFor(source, levels.at(-1)?.asks ?? [], admissions))
    .flatMap(({ choices }) => [...choices.values()])
    .filter(({ sourceType }) =>
      asksFor.every((asked, axis) => !asked || (sourceType.roomAmounts[axis] ?? 0) > 0),
    );
