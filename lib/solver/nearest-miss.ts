import { compareText } from '#lib/constraints/order.ts';
import { amountOf, fits, type Resources } from '#lib/constraints/resources.ts';
import type { Choice } from './admission.ts';
import { chargeFor, shareOf, USD, USD_OF_ALL, usdOf } from './limits.ts';

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
    const [largest] = [...choices].sort(
      (a, b) =>
        amountOf(b.sourceType.room, name) - amountOf(a.sourceType.room, name) ||
        compareText(a.sourceType.type.name, b.sourceType.type.name),
    );
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
  return `no type that the pool allows has ${all} together`;
}

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

/** An amount as people say it: "1.5 cpu", "12 GiB of memory", "2 nvidia.com/gpu". */
function tell(name: string, amount: number): string {
  if (name === 'cpu') return `${round(amount / 1000)} cpu`;
  if (name === USD || name === USD_OF_ALL) return `$${usdOf(amount).toFixed(4)}/h`;
  if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) {
    const size = amount >= GIB ? `${round(amount / GIB)} GiB` : `${round(amount / MIB)} MiB`;
    return `${size} of ${name}`;
  }
  return `${amount} ${name}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
