import { compareText } from '#lib/constraints/order.ts';
import {
  addResources,
  amountOf,
  maxResources,
  type Resources,
  subtractResources,
} from '#lib/constraints/resources.ts';
import { INSTANCE_TYPE, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { usdLimitOf } from '#lib/model/usd-limit.ts';
import type { Choice } from '../admission.ts';
import { isGoing } from '../hosts/hosts.ts';
import { mayBecome, priceOfNode } from './node-price.ts';

/**
 * What the limits of a NodePool, and those of all together, still allow; undefined where there are
 * none. Only limited resources; dollars are two of them.
 */
export type Allowance = Resources | undefined;

/** What the nodes of a NodePool may cost together, as a resource: USD per hour in billionths. */
export const USD = 'joinery.dev/usd-per-hour';
/** What all nodes may cost together, likewise. */
export const USD_OF_ALL = 'joinery.dev/usd-per-hour-of-all';
const NANO = 1e9;

/** Prices as whole numbers, so that sums of them are exact. No price has more than nine places. */
const nanoUsd = (usdPerHour: number): number => Math.round(usdPerHour * NANO);

/** An amount of either of the dollar resources in USD per hour. */
export const usdOf = (amount: number): number => amount / NANO;

/** Everything that is limited for a NodePool, before anything is held. */
function limitsOf({ limits, meta }: NodePool, { settings }: Snapshot): Resources {
  const own = usdLimitOf(meta);
  const all = settings.limitUsdPerHour;
  return {
    ...limits,
    ...(own !== undefined && { [USD]: nanoUsd(own) }),
    ...(all !== undefined && { [USD_OF_ALL]: nanoUsd(all) }),
  };
}

/**
 * What the limits of `nodePool` leave: less what its nodes and NodeClaims hold that are not on
 * their way out. A NodeClaim whose size is not known yet counts as the largest and the dearest that
 * it may become; so does a price that is not known, as far as the type is.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduler.go, remainingResources. Dollars are
 * ours.
 */
export function allowanceOf(nodePool: NodePool, snapshot: Snapshot): Allowance {
  const limits = limitsOf(nodePool, snapshot);
  if (Object.keys(limits).length === 0) return undefined;
  const countsAll = USD_OF_ALL in limits;
  let held: Resources = {};
  for (const stateNode of snapshot.nodes) {
    const pool = poolOf(stateNode);
    if (pool === undefined || isGoing(stateNode)) continue;
    const isOurs = pool === nodePool.meta.name;
    if (!isOurs && !countsAll) continue;
    const usd = usdHeldBy(stateNode, limits, snapshot);
    held = addResources(held, countsAll ? { [USD_OF_ALL]: usd } : {});
    if (!isOurs) continue;
    held = addResources(held, { ...capacityOf(stateNode, snapshot), nodes: 1, [USD]: usd });
  }
  return only(Object.keys(limits), subtractResources(limits, held));
}

const poolOf = ({ node, claim }: StateNode): string | undefined =>
  claim?.meta.labels[NODEPOOL] ?? node?.meta.labels[NODEPOOL];

/** Prices are looked up only where somebody limits them. */
const usdHeldBy = (stateNode: StateNode, limits: Resources, { catalog }: Snapshot): number =>
  USD in limits || USD_OF_ALL in limits ? nanoUsd(priceOfNode(stateNode, catalog) ?? 0) : 0;

function capacityOf({ node, claim }: StateNode, { catalog }: Snapshot): Resources {
  const known = maxResources(claim?.status.capacity ?? {}, node?.capacity ?? {});
  if (node || !claim || amountOf(known, 'cpu') > 0) return known;
  return mayBecome(claim, catalog).reduce<Resources>(
    (largest, { type }) => maxResources(largest, type.capacity),
    {},
  );
}

/** The nodes that dollar limits cannot count, each a sentence; none where nobody set such a limit. */
export function uncountedNodes({
  nodePools,
  nodes,
  settings,
  catalog,
}: Snapshot): readonly string[] {
  const limited = new Set(
    nodePools.filter(({ meta }) => usdLimitOf(meta) !== undefined).map(({ meta }) => meta.name),
  );
  const countsAll = settings.limitUsdPerHour !== undefined;
  if (limited.size === 0 && !countsAll) return [];
  return nodes
    .filter((each) => !isGoing(each) && (countsAll || limited.has(poolOf(each) ?? '')))
    .filter((each) => poolOf(each) !== undefined && priceOfNode(each, catalog) === undefined)
    .map(({ name, node, claim }) => {
      const type = { ...claim?.meta.labels, ...node?.meta.labels }[INSTANCE_TYPE] ?? 'its type';
      return `${name} counts as $0 against limits in dollars: the price of ${type} is not known`;
    })
    .sort(compareText);
}

const only = (names: readonly string[], amounts: Resources): Resources =>
  Object.fromEntries(names.map((name) => [name, amountOf(amounts, name)]));

/** What one more node takes of an allowance at most, whichever of its offerings it comes from. */
export function chargeFor(choice: Choice, allowance: Resources): Resources {
  const charge: Record<string, number> = {};
  for (const name in allowance) charge[name] = chargeIn(name, choice);
  return charge;
}

/** The same of one limited resource. */
export function chargeIn(
  name: string,
  { sourceType, offerings }: Pick<Choice, 'sourceType' | 'offerings'>,
): number {
  if (name === 'nodes') return 1;
  if (name !== USD && name !== USD_OF_ALL) return amountOf(sourceType.type.capacity, name);
  return nanoUsd(offerings.reduce((most, each) => Math.max(most, each.usdPerHour), 0));
}

/** Whether a node of this choice stays within the allowance. */
export function allows(allowance: Allowance, choice: Choice): boolean {
  for (const name in allowance) {
    if (chargeIn(name, choice) > amountOf(allowance, name)) return false;
  }
  return true;
}

/** How many nodes of this choice stay within the allowance; Infinity without limits. */
export function nodesAllowed(allowance: Allowance, choice: Choice): number {
  if (allowance === undefined) return Number.POSITIVE_INFINITY;
  const charge = chargeFor(choice, allowance);
  let nodes = Number.POSITIVE_INFINITY;
  for (const [name, amount] of Object.entries(charge)) {
    if (amountOf(allowance, name) < 0) return 0;
    if (amount > 0) nodes = Math.min(nodes, Math.floor(amountOf(allowance, name) / amount));
  }
  return nodes;
}

/** The largest share of what is left of any limited resource that a node of this choice takes. */
export function shareOf(choice: Choice, allowance: Resources): number {
  const charge = chargeFor(choice, allowance);
  return Object.keys(allowance).reduce((most, name) => {
    const left = Math.max(1, amountOf(allowance, name));
    return Math.max(most, amountOf(charge, name) / left);
  }, 0);
}
