import { compareText } from '#lib/constraints/order.ts';
import { amountOf, fits, type Resources, shortfall } from '#lib/constraints/resources.ts';
import type { Choice } from '../admission.ts';
import { chargeFor, shareOf, USD, USD_OF_ALL, usdOf } from '../opening/limits.ts';

/** A million cores is a slip of the unit. Source: karpenter v1.14, nodeclaim.go, m vs M typo. */
const TYPO_MILLICORES = 1_000_000_000;

/**
 * What a pod needs on one node and the largest type cannot give.
 *
 * Example: it needs 12 GiB of memory on one node; the largest type that the pool allows, m5.large,
 * has 7.1 GiB to give
 */
export function resourceMiss(choices: readonly Choice[], requests: Resources): string {
  const names = Object.keys(requests).sort(compareText);
  const hint =
    amountOf(requests, 'cpu') >= TYPO_MILLICORES ? ' (CPU request >= 1 Million, m vs M typo?)' : '';
  const misses = names.flatMap((name) => {
    const needed = amountOf(requests, name);
    const largest = roomiest(choices, name);
    const most = largest ? amountOf(largest.sourceType.room, name) : 0;
    if (!largest || needed <= most) return [];
    if (most <= 0)
      return [`it needs ${tell(name, needed)}, which no type that the pool allows has`];
    return [
      `it needs ${tell(name, needed)} on one node; the largest type that the pool allows, ${largest.sourceType.type.name}, has ${tell(name, most)} to give`,
    ];
  });
  if (misses.length > 0) return `${misses.join(', and ')}${hint}`;
  const all = names.map((name) => tell(name, amountOf(requests, name))).join(', ');
  return `no type that the pool allows has ${all} together${nearestTo(choices, requests)}`;
}

/** The type that lacks the smallest part of what is needed, and what it lacks. */
function nearestTo(choices: readonly Choice[], requests: Resources): string {
  const lackOf = ({ sourceType }: Choice): number =>
    Object.entries(shortfall(requests, sourceType.room)).reduce(
      (most, [name, missing]) => Math.max(most, missing / amountOf(requests, name)),
      0,
    );
  const [nearest] = choices
    .map((choice) => ({ choice, lack: lackOf(choice) }))
    .sort(
      (a, b) =>
        a.lack - b.lack ||
        compareText(a.choice.sourceType.type.name, b.choice.sourceType.type.name),
    );
  if (!nearest) return '';
  const { type, room } = nearest.choice.sourceType;
  const lacks = Object.entries(shortfall(requests, room))
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, missing]) => tell(name, missing));
  return `; the nearest, ${type.name}, lacks ${lacks.join(', ')}`;
}

/** The choice with most room for a resource, the first by name of equals. One look at each. */
const roomiest = (choices: readonly Choice[], name: string): Choice | undefined =>
  choices.reduce<Choice | undefined>((best, choice) => {
    if (!best) return choice;
    const more =
      amountOf(choice.sourceType.room, name) - amountOf(best.sourceType.room, name) ||
      compareText(best.sourceType.type.name, choice.sourceType.type.name);
    return more > 0 ? choice : best;
  }, undefined);

/**
 * Which limit keeps the smallest type that would do from being made.
 *
 * Example: the limits of NodePool default leave 2 cpu; the smallest type that holds it, m5.xlarge,
 * has 4 cpu
 */
export function limitMiss(
  choices: readonly Choice[],
  allowance: Resources,
  nodePool: string,
): string {
  if (Object.hasOwn(allowance, 'nodes') && amountOf(allowance, 'nodes') < 1) {
    return `node limits have been exhausted for nodepool (NodePool=${nodePool})`;
  }
  const [smallest] = [...choices].sort(
    (a, b) =>
      shareOf(a, allowance) - shareOf(b, allowance) ||
      compareText(a.sourceType.type.name, b.sourceType.type.name),
  );
  const charge = smallest ? chargeFor(smallest, allowance) : {};
  const name = Object.keys(allowance)
    .sort(compareText)
    .find(
      (each) => !fits({ [each]: amountOf(charge, each) }, { [each]: amountOf(allowance, each) }),
    );
  if (!smallest || name === undefined) return `the limits of NodePool ${nodePool} are used up`;
  const left = tell(name, Math.max(0, amountOf(allowance, name)));
  const whose =
    name === USD_OF_ALL
      ? 'the limit of all NodePools leaves'
      : `the limits of NodePool ${nodePool} leave`;
  const verb = name === USD || name === USD_OF_ALL ? 'may cost' : 'has';
  return `${whose} ${left}; the smallest type that holds it, ${smallest.sourceType.type.name}, ${verb} ${tell(name, amountOf(charge, name))}`;
}

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/**
 * An amount as people say it: "1.5 cpu", "12 GiB of memory", "2 nvidia.com/gpu". The largest amount
 * that is counted stands for all beyond it.
 */
const tell = (name: string, amount: number): string =>
  amount < Number.MAX_SAFE_INTEGER ? inUnits(name, amount) : `${inUnits(name, amount)} or more`;

function inUnits(name: string, amount: number): string {
  if (name === 'cpu') return `${round(amount / 1000)} cpu`;
  if (name === USD || name === USD_OF_ALL) return `$${usdOf(amount).toFixed(4)}/h`;
  if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) {
    const size = amount >= GIB ? `${round(amount / GIB)} GiB` : `${round(amount / MIB)} MiB`;
    return `${size} of ${name}`;
  }
  return `${amount} ${name}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
