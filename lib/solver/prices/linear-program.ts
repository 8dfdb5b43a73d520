import type { Amounts } from '../amounts.ts';

/** What one purchase buys of each resource; together they may be worth no more than it costs. */
export interface PriceRow {
  readonly amounts: Amounts;
  readonly usdPerHour: number;
}

/** Finds prices for one demand after the other: each search goes on where the last one ended. */
export type Pricer = (demand: Float64Array) => Float64Array;

/** Pivots after which a search stops where it is: any answer is valid, more are only better. */
const MOST_PIVOTS = 60;
const TINY = 1e-10;

/**
 * Prices in USD per hour for a unit of each resource that make a demand worth as much as can be
 * while no row is worth more than it costs: the dual of covering the demand by fractions of rows.
 * The dual simplex method walks there from prices of 0, which no row forbids; prices that were best
 * for one demand are where it starts for the next. Whatever rounding does on the way, the prices
 * that come back break no row.
 *
 * Cost: for the rows that are best value in some respect, resources for each of a handful of pivots.
 */
export function createPricer(rows: readonly PriceRow[], axes: number): Pricer {
  const units = unitsOf(rows, axes);
  const values = bestValues(rows, units);
  const basis = createBasis(values, axes);
  return (demand) => {
    const gains = units.map((unit, axis) => (unit > 0 ? number(demand, axis) / unit : 0));
    const most = gains.reduce((larger, gain) => Math.max(larger, gain), TINY);
    const shares = gains.map((gain) => gain / most);
    for (let pivots = 0; pivots < MOST_PIVOTS && basis.improve(shares); pivots++);
    const prices = withinRows(basis.prices(), values);
    return prices.map((price, axis) => (number(units, axis) > 0 ? price / number(units, axis) : 0));
  };
}

const number = (numbers: Float64Array, at: number): number => numbers[at] ?? 0;

/**
 * The most that a dollar buys of each resource: bytes and millicores are ten orders of magnitude
 * apart. 0 where nothing is sold, and where it comes for nothing: then it is worth nothing.
 */
function unitsOf(rows: readonly PriceRow[], axes: number): Float64Array {
  const units = new Float64Array(axes);
  for (const { amounts, usdPerHour } of rows) {
    for (let axis = 0; axis < axes; axis++) {
      const amount = amounts[axis] ?? 0;
      if (amount > 0) units[axis] = Math.max(number(units, axis), amount / Math.max(0, usdPerHour));
    }
  }
  return units.map((unit) => (unit === Number.POSITIVE_INFINITY ? 0 : unit));
}

/** What a dollar buys of each resource in one row, in units. */
interface Value {
  readonly value: Float64Array;
  readonly sum: number;
}

/**
 * What a dollar buys of each resource, in units, row after row: only of rows that no other row
 * beats in every respect. Those with the most in all come first.
 */
function bestValues(rows: readonly PriceRow[], units: Float64Array): readonly Float64Array[] {
  const values: Value[] = [];
  for (const row of rows) if (row.usdPerHour > 0) values.push(boughtWith(row, units));
  values.sort((a, b) => b.sum - a.sum);
  const best: Float64Array[] = [];
  for (const { value } of values) if (!isBeaten(value, best)) best.push(value);
  return best;
}

function boughtWith({ amounts, usdPerHour }: PriceRow, units: Float64Array): Value {
  const value = new Float64Array(units.length);
  let sum = 0;
  for (let axis = 0; axis < units.length; axis++) {
    const unit = number(units, axis);
    const bought = unit > 0 ? Math.max(0, amounts[axis] ?? 0) / unit / usdPerHour : 0;
    value[axis] = bought;
    sum += bought;
  }
  return { value, sum };
}

function isBeaten(value: Float64Array, best: readonly Float64Array[]): boolean {
  for (const other of best) {
    let axis = 0;
    while (axis < value.length && number(value, axis) <= number(other, axis)) axis += 1;
    if (axis === value.length) return true;
  }
  return false;
}

/** The state of a search: as many rows or spare resources as there are resources. */
interface Basis {
  /** One step towards the best prices for a demand; false where they are found. */
  readonly improve: (shares: Float64Array) => boolean;
  readonly prices: () => Float64Array;
}

function createBasis(values: readonly Float64Array[], axes: number): Basis {
  // A member is a row or, from values.length on, some resource left over. At first nothing is
  // bought and everything is missing.
  const members = Int32Array.from({ length: axes }, (_, axis) => values.length + axis);
  const inverse: Float64Array[] = Array.from({ length: axes }, (_, member) =>
    new Float64Array(axes).map((_, axis) => (axis === member ? -1 : 0)),
  );
  const prices = (): Float64Array =>
    inverse.reduce<Float64Array>(
      (sum, line, member) => ((members[member] ?? 0) < values.length ? added(sum, line, 1) : sum),
      new Float64Array(axes),
    );
  const improve = (shares: Float64Array): boolean => {
    const leaving = mostMissing(inverse, shares);
    const line = inverse[leaving];
    const entering = line ? cheapestFor(line, prices(), values) : -1;
    if (!line || entering < 0) return false;
    const column = inverse.map((each) => along(each, values, entering));
    const share = line.map((each) => each / (column[leaving] ?? 1));
    for (const [member, factor] of column.entries()) {
      inverse[member] = added(inverse[member] ?? share, share, -factor);
    }
    inverse[leaving] = share;
    members[leaving] = entering;
    return true;
  };
  return { improve, prices };
}

function added(sum: Float64Array, more: Float64Array, times: number): Float64Array {
  const all = new Float64Array(sum.length);
  for (let axis = 0; axis < sum.length; axis++) {
    all[axis] = number(sum, axis) + number(more, axis) * times;
  }
  return all;
}

/** The member of which less than nothing would have to be bought; -1 where all is well. */
function mostMissing(inverse: readonly Float64Array[], shares: Float64Array): number {
  let found = -1;
  let least = -TINY;
  for (const [member, line] of inverse.entries()) {
    const bought = product(line, shares);
    if (bought < least) [found, least] = [member, bought];
  }
  return found;
}

/** What can take a member's place so that prices rise and break no row; -1 where nothing can. */
function cheapestFor(
  line: Float64Array,
  prices: Float64Array,
  values: readonly Float64Array[],
): number {
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let member = 0; member < values.length + line.length; member++) {
    const slope = -along(line, values, member);
    if (slope <= TINY) continue;
    const spare = (member < values.length ? 1 : 0) - along(prices, values, member);
    const ratio = Math.max(0, spare) / slope;
    if (ratio < least) [found, least] = [member, ratio];
  }
  return found;
}

/** A line of numbers times what a member brings: a row's values, or one less of a resource. */
function along(line: Float64Array, values: readonly Float64Array[], member: number): number {
  const value = values[member];
  return value ? product(line, value) : -number(line, member - values.length);
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += number(a, axis) * number(b, axis);
  return sum;
}

/** `prices`, none below 0, and all lowered by as much as the row that they break most needs. */
function withinRows(prices: Float64Array, values: readonly Float64Array[]): Float64Array {
  const positive = prices.map((price) => Math.max(0, price));
  const most = values.reduce((larger, value) => Math.max(larger, product(positive, value)), 1);
  return positive.map((price) => price / most);
}
