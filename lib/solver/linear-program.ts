import { type Amounts, worth } from './amounts.ts';

/** What one unit of cost buys of each resource; together they may be worth no more than it. */
export interface PriceRow {
  readonly amounts: Amounts;
  readonly usdPerHour: number;
}

/** Pivots after which the search stops where it is: any answer is valid, more are only better. */
const MOST_PIVOTS = 60;
const TINY = 1e-12;

/**
 * Prices in USD per hour for a unit of each resource that make `demand` worth as much as can be
 * while no row is worth more than it costs: the dual of covering `demand` by fractions of nodes.
 * The simplex method walks there from prices of 0, which no row forbids. Whatever rounding does
 * on the way, the prices that come back break no row.
 *
 * Cost: rows × resources for each pivot, of which there are a handful.
 */
export function bestPrices(rows: readonly PriceRow[], demand: Amounts): Amounts {
  // Bytes and millicores are ten orders of magnitude apart: each axis is measured by its largest.
  const units = demand.map((_, axis) =>
    rows.reduce((largest, { amounts }) => Math.max(largest, amounts[axis] ?? 0), 0),
  );
  const gains = demand.map((amount, axis) => (units[axis] ? amount / (units[axis] ?? 1) : 0));
  const scale = Math.max(...gains, TINY);
  const tableau: Tableau = {
    columns: demand.map((_, axis) => axis),
    gains: gains.map((gain) => gain / scale),
    rows: rows.map(({ amounts, usdPerHour }, at) => ({
      basic: demand.length + at,
      entries: amounts.map((amount, axis) => (units[axis] ? amount / (units[axis] ?? 1) : 0)),
      limit: usdPerHour,
    })),
  };
  for (let pivots = 0; pivots < MOST_PIVOTS && pivot(tableau); pivots++);
  const prices = demand.map(() => 0);
  for (const { basic, limit } of tableau.rows) {
    if (basic < prices.length) prices[basic] = Math.max(0, limit) / (units[basic] || 1);
  }
  return withinRows(prices, rows);
}

/** Variables are numbered: first the price of each axis, then what each row has to spare. */
interface Tableau {
  /** The variables that are 0. */
  readonly columns: number[];
  gains: number[];
  readonly rows: readonly TableauRow[];
}

interface TableauRow {
  /** The variable that this row fixes. */
  basic: number;
  entries: number[];
  limit: number;
}

/** Raises the variable that gains most as far as the tightest row lets it; false at the summit. */
function pivot(tableau: Tableau): boolean {
  const entering = largestGain(tableau.gains);
  const tight = entering === undefined ? undefined : tightestRow(tableau.rows, entering);
  if (entering === undefined || !tight) return false;

  const element = tight.entries[entering] ?? 1;
  tight.entries = tight.entries.map((entry, at) => (at === entering ? 1 : entry) / element);
  tight.limit /= element;
  const eliminate = (entries: readonly number[]): number[] => {
    const factor = entries[entering] ?? 0;
    return entries.map(
      (entry, at) => (at === entering ? 0 : entry) - factor * (tight.entries[at] ?? 0),
    );
  };
  for (const row of tableau.rows) {
    const factor = row.entries[entering] ?? 0;
    if (row === tight || factor === 0) continue;
    row.limit -= factor * tight.limit;
    row.entries = eliminate(row.entries);
  }
  tableau.gains = eliminate(tableau.gains);
  const left = tight.basic;
  tight.basic = tableau.columns[entering] ?? left;
  tableau.columns[entering] = left;
  return true;
}

function largestGain(gains: readonly number[]): number | undefined {
  let best: number | undefined;
  gains.forEach((gain, at) => {
    if (gain > TINY && gain > (best === undefined ? 0 : (gains[best] ?? 0))) best = at;
  });
  return best;
}

function tightestRow(rows: readonly TableauRow[], entering: number): TableauRow | undefined {
  let tightest: TableauRow | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const entry = row.entries[entering] ?? 0;
    if (entry <= TINY || row.limit / entry >= least) continue;
    least = row.limit / entry;
    tightest = row;
  }
  return tightest;
}

/** `prices`, all lowered by as much as the row that they break most needs. */
function withinRows(prices: Amounts, rows: readonly PriceRow[]): Amounts {
  let share = 1;
  for (const { amounts, usdPerHour } of rows) {
    const value = worth(prices, amounts);
    if (value > usdPerHour) share = Math.min(share, usdPerHour / value);
  }
  return prices.map((price) => price * share);
}
