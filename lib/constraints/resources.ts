import { compareText } from './order.ts';
import { formatAmount, parseAmount } from './quantity.ts';

/**
 * Amounts by resource name, whole numbers in the resource's own unit: cpu in millicores, memory,
 * ephemeral-storage and hugepages-* in bytes, everything else (pods, nodes, nvidia.com/gpu) in
 * units. A name that is absent counts as 0.
 *
 * Example: { cpu: 1500, memory: 3221225472, pods: 4 }
 */
export type Resources = Readonly<Record<string, number>>;

/** Why a list of quantities is no Resources: the first name, sorted, whose quantity is bad. */
export interface BadAmount {
  readonly badKey: string;
  /** What was found and what is expected, e.g. `"1.5GB" is not a quantity, expected e.g. 2Gi`. */
  readonly problem: string;
}

/** The amount of one resource; 0 where it is absent. */
export function amountOf(resources: Resources, name: string): number {
  const amount = resources[name];
  // A resource may be called like a property of every object ("constructor").
  return typeof amount === 'number' ? amount : 0;
}

/** The sum of both; saturates at Number.MAX_SAFE_INTEGER. */
export function addResources(a: Resources, b: Resources): Resources {
  const sum: Record<string, number> = { ...a };
  for (const name in b) {
    sum[name] = Math.min(amountOf(a, name) + amountOf(b, name), Number.MAX_SAFE_INTEGER);
  }
  return sum;
}

/** What is left of `from` when `taken` is gone; negative where more was taken than there was. */
export function subtractResources(from: Resources, taken: Resources): Resources {
  const rest: Record<string, number> = { ...from };
  for (const name in taken) rest[name] = amountOf(from, name) - amountOf(taken, name);
  return rest;
}

/**
 * The amounts, none of them below zero: what is overdrawn of one resource keeps nobody away who asks
 * for none of it.
 */
export const atLeastZero = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Math.max(0, amount)]));

/** The larger amount of each resource that either names. */
export function maxResources(a: Resources, b: Resources): Resources {
  const larger: Record<string, number> = { ...a };
  for (const name in b) larger[name] = Math.max(amountOf(a, name), amountOf(b, name));
  return larger;
}

/** The smallest amount of each resource that all of them name; of an empty list, nothing. */
export function minResources(list: readonly Resources[]): Resources {
  const [first, ...others] = list;
  const smallest: Record<string, number> = {};
  for (const name in first) {
    if (others.every((other) => Object.hasOwn(other, name))) {
      smallest[name] = Math.min(...list.map((each) => amountOf(each, name)));
    }
  }
  return smallest;
}

/**
 * Whether `requests` fit into `available`: no resource is asked for beyond what there is, and
 * nothing is overdrawn already. A request of 0 for a resource that is absent fits.
 *
 * Source: karpenter v1.14, utils/resources/resources.go, Fits.
 */
export function fits(requests: Resources, available: Resources): boolean {
  for (const name in requests) {
    if (amountOf(requests, name) > amountOf(available, name)) return false;
  }
  for (const name in available) {
    if (amountOf(available, name) < 0) return false;
  }
  return true;
}

/** How much is missing of each resource for `requests` to fit; only what is missing is named. */
export function shortfall(requests: Resources, available: Resources): Resources {
  const missing: Record<string, number> = {};
  for (const name in requests) {
    const short = amountOf(requests, name) - amountOf(available, name);
    if (short > 0) missing[name] = short;
  }
  return missing;
}

/** Quantities by name as Resources, or the first one, by name, that is no quantity. */
export function parseResources(
  quantities: Readonly<Record<string, string | number>>,
): Resources | BadAmount {
  const parsed: Record<string, number> = {};
  for (const name of Object.keys(quantities).sort(compareText)) {
    const quantity = quantities[name] ?? '';
    const amount = parseAmount(name, quantity);
    if (amount === undefined) {
      return {
        badKey: name,
        problem: `${JSON.stringify(quantity)} is not a quantity, expected e.g. 2, 500m or 2Gi`,
      };
    }
    parsed[name] = amount;
  }
  return parsed;
}

/** Whether parseResources found a bad quantity. */
export const isBadAmount = (parsed: Resources | BadAmount): parsed is BadAmount =>
  typeof parsed.badKey === 'string';

/** The first resource, by name, whose amount is negative, for those who may not have such. */
export function firstNegative(resources: Resources): BadAmount | undefined {
  for (const name of Object.keys(resources).sort(compareText)) {
    const amount = amountOf(resources, name);
    if (amount < 0) {
      return {
        badKey: name,
        problem: `${formatAmount(name, amount)} is negative, expected 0 or more`,
      };
    }
  }
  return undefined;
}

/** Resources as Kubernetes quantities, sorted by name. */
export function formatResources(resources: Resources): Record<string, string> {
  const formatted: Record<string, string> = {};
  for (const name of Object.keys(resources).sort(compareText)) {
    formatted[name] = formatAmount(name, amountOf(resources, name));
  }
  return formatted;
}
