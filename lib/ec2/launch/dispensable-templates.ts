import { compareText } from '#lib/constraints/order.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import type { FleetConfig } from './launch-fleet.ts';

/** What decides whether a launch may go without some of its types. */
interface Buying {
  readonly capacityType: CapacityType;
  /** The claim's. */
  readonly requirements: Requirements;
}

/**
 * The names of the launch templates that a launch can do without until they are there, sorted: all
 * but one, where its types need several because they differ in what an instance is told (its pod
 * limit, its image). On demand that one is the template of the cheapest option; on spot, where the
 * depth of pools counts too, the one with most of the cheaper half of the options. None is
 * dispensable where the claim insists on a number of choices, or each stands for a reservation.
 *
 * So a cold account is asked for one new template and one fleet, not for a template for each pod
 * limit among the types: the first launches of a kind choose from fewer types, later ones from all.
 */
export function dispensableTemplates(
  configs: readonly FleetConfig[],
  { capacityType, requirements }: Buying,
): readonly string[] {
  const insists = [...requirements.values()].some(({ minValues }) => minValues !== undefined);
  if (insists || capacityType === 'reserved') return [];
  const prices = configs.flatMap(pricesOf).sort((a, b) => a - b);
  const limit = capacityType === 'spot' ? prices[Math.floor((prices.length - 1) / 2)] : prices[0];
  const cheap = (config: FleetConfig): number =>
    pricesOf(config).filter((usd) => usd <= (limit ?? 0)).length;
  const [, ...others] = [...configs].sort(
    (a, b) => cheap(b) - cheap(a) || compareText(a.template.name, b.template.name),
  );
  return others.map(({ template }) => template.name).sort(compareText);
}

/** What each option of a template costs. */
const pricesOf = ({ overrides }: FleetConfig): readonly number[] =>
  overrides.map((override) => Number(Object(override).Priority));
