import { compareText } from '#lib/constraints/order.ts';
import { amountOf, type Resources } from '#lib/constraints/resources.ts';

/** Amounts in a fixed order of resource names, for the inner loops. */
export type Amounts = readonly number[];

/** The resource names behind a list of Amounts: all that some pod asks for, sorted. */
export type Axes = readonly string[];

/** The names of the resources of which any of `requests` asks for more than nothing. */
export function axesOf(requests: Iterable<Resources>): Axes {
  const names = new Set<string>(['cpu', 'memory']);
  for (const each of requests) {
    for (const name in each) if (amountOf(each, name) > 0) names.add(name);
  }
  return [...names].sort(compareText);
}

/** Resources as Amounts; what has no axis is left out. */
export const amountsOf = (resources: Resources, axes: Axes): Amounts =>
  axes.map((name) => amountOf(resources, name));

/** a + b × times. */
export const plus = (a: Amounts, b: Amounts, times = 1): Amounts =>
  a.map((amount, axis) => amount + (b[axis] ?? 0) * times);

/** Whether `used` and one more `request` stay within `room`. */
export function hasRoom(room: Amounts, used: Amounts, request: Amounts): boolean {
  for (let axis = 0; axis < room.length; axis++) {
    const asked = request[axis] ?? 0;
    if (asked > 0 && (used[axis] ?? 0) + asked > (room[axis] ?? 0)) return false;
  }
  return true;
}

/** How many times `request` goes into what `used` leaves of `room`; Infinity if it asks nothing. */
export function timesThatFit(room: Amounts, used: Amounts, request: Amounts): number {
  let times = Number.POSITIVE_INFINITY;
  for (let axis = 0; axis < room.length; axis++) {
    const asked = request[axis] ?? 0;
    if (asked <= 0) continue;
    times = Math.min(times, Math.floor(((room[axis] ?? 0) - (used[axis] ?? 0)) / asked));
  }
  return Math.max(0, times);
}

/** The sum of both, axis by axis multiplied: what `amounts` are worth at `prices`. */
export function worth(prices: Amounts, amounts: Amounts): number {
  let sum = 0;
  for (let axis = 0; axis < prices.length; axis++) {
    sum += (prices[axis] ?? 0) * (amounts[axis] ?? 0);
  }
  return sum;
}

/** The smaller of both on each axis. */
export const least = (a: Amounts, b: Amounts): Amounts =>
  a.map((amount, axis) => Math.min(amount, b[axis] ?? 0));

/** The larger of both on each axis; what one of them lacks counts as nothing. */
export const most = (a: Amounts, b: Amounts): Amounts =>
  a.length < b.length ? most(b, a) : a.map((amount, axis) => Math.max(amount, b[axis] ?? 0));

/** Whether `room` is enough for `amounts`; what is not asked for may be overdrawn. */
export function isWithin(amounts: Amounts, room: Amounts): boolean {
  for (let axis = 0; axis < amounts.length; axis++) {
    const amount = amounts[axis] ?? 0;
    if (amount !== 0 && amount > (room[axis] ?? 0)) return false;
  }
  return true;
}
