import { LIMIT_USD_PER_HOUR } from './labels.ts';
import type { ObjectMeta } from './object.ts';

/** Plain decimal notation: what is compared with prices must not be open to interpretation. */
const USD_PER_HOUR = /^\d{1,6}(\.\d{1,9})?$/;

/** USD per hour as people write them in an annotation or a setting; undefined where it is none. */
export const parseUsdPerHour = (text: string): number | undefined =>
  USD_PER_HOUR.test(text) ? Number(text) : undefined;

/** What the nodes of a NodePool may cost together in USD per hour, if it says so and says it well. */
export function usdLimitOf({ annotations }: Pick<ObjectMeta, 'annotations'>): number | undefined {
  const text = annotations[LIMIT_USD_PER_HOUR];
  return text === undefined ? undefined : parseUsdPerHour(text);
}

/** What is wrong with such a limit; undefined where there is none, or nothing is. */
export function usdLimitProblem({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const text = annotations[LIMIT_USD_PER_HOUR];
  if (text === undefined || parseUsdPerHour(text) !== undefined) return undefined;
  return `invalid value: annotation ${LIMIT_USD_PER_HOUR} is ${JSON.stringify(text.slice(0, 40))}, expected USD per hour such as 12.50`;
}
