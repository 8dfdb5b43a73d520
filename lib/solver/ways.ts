import { chain } from '#lib/constraints/order.ts';
import type { OpenContext } from './opening/open.ts';
import type { SealedClaim } from './opening/seal.ts';
import type { PodGroup } from './pods/pod-groups.ts';
import type { Waiting } from './pods/waiting.ts';
import { type Corrections, NO_CORRECTIONS } from './prices/corrections.ts';
import type { Manner } from './topology/assign.ts';

/** One of the ways in which a batch may be packed; which is cheapest only trying tells. */
export interface Way {
  readonly manner: Manner;
  readonly first: OpenContext['first'];
  /** By which of the prices that were found pods are packed. */
  readonly pricing: 'better' | 'alternative';
  readonly corrections: Corrections;
}

/** The usual way, which is as good as any for large batches. */
export const USUAL_WAY: Way = {
  manner: 'even',
  first: 'dearest',
  pricing: 'better',
  corrections: NO_CORRECTIONS,
};

/** What came of a way. */
export interface Outcome {
  readonly claims: readonly SealedClaim[];
  readonly left: readonly Waiting[];
  /** In how many domains spreads are kept badly: see Census. */
  readonly crowded: number;
  readonly lowerBoundUsdPerHour: number;
  /** What pods are worth in the light of it. */
  readonly corrections: () => Corrections;
}

/** In larger batches pods differ enough for any way to do, and each takes its time. */
const MOST_PODS_FOR_ALL_WAYS = 500;
/** Larger batches are packed once: it takes longer, and leaves less to gain. */
const MOST_GROUPS_TO_REFINE = 300;
const MOST_PODS_TO_REFINE = 2000;
/** How often a plan is packed anew in the light of the last one. */
const PASSES = 5;
/** A plan so near to what nobody can go below is not packed anew. */
const GOOD_ENOUGH = 1.001;

/**
 * The cheapest outcome of all ways that are worth trying, then by other prices, then of several passes in which pods are
 * valued by what they cost in the pass before. Every outcome is a complete plan.
 *
 * Cost: at most five ways and five passes, in small batches only.
 */
export function cheapestWay<Plan extends Outcome>(
  groups: readonly PodGroup[],
  packIn: (way: Way) => Plan,
): Plan {
  let best = packIn(USUAL_WAY);
  let way = USUAL_WAY;
  const attempt = (other: Way): Plan => {
    const plan = packIn(other);
    if (isCheaper(plan, best)) [best, way] = [plan, other];
    return plan;
  };
  for (const other of otherWays(groups)) attempt(other);
  if (!isSmall(groups) || isGoodEnough(best)) return best;
  attempt({ ...way, pricing: 'alternative' });
  let last = best;
  const { manner, first, pricing } = way;
  for (let pass = 0; pass < PASSES && !isGoodEnough(best); pass++) {
    last = attempt({ manner, first, pricing, corrections: last.corrections() });
  }
  return best;
}

const countPods = (groups: readonly PodGroup[]): number =>
  groups.reduce((sum, { pods }) => sum + pods.length, 0);

function otherWays(groups: readonly PodGroup[]): readonly Way[] {
  if (countPods(groups) > MOST_PODS_FOR_ALL_WAYS) return [];
  const hasDomains = groups.some(({ standing }) => standing.byDomain.length > 0);
  const hasSeats = groups.some(({ standing }) => standing.byNode.length > 0);
  const manners: readonly Manner[] = hasDomains ? ['even', 'packed'] : ['even'];
  const firsts: readonly Way['first'][] = hasSeats ? ['dearest', 'hardest'] : ['dearest'];
  const all = manners.flatMap((manner) => firsts.map((first) => ({ ...USUAL_WAY, manner, first })));
  return all.slice(1);
}

/** Whether a batch is worth packing again and again. */
const isSmall = (groups: readonly PodGroup[]): boolean =>
  groups.length <= MOST_GROUPS_TO_REFINE && countPods(groups) <= MOST_PODS_TO_REFINE;

const isGoodEnough = (plan: Outcome): boolean =>
  priceOf(plan) <= plan.lowerBoundUsdPerHour * GOOD_ENOUGH;

/** Whether `a` leaves fewer pods than `b`, or keeps spreads better, or adds less. */
const isCheaper = (a: Outcome, b: Outcome): boolean => bestFirst(a, b) < 0;

const bestFirst = chain<Outcome>(
  (a, b) => countLeft(a) - countLeft(b),
  (a, b) => a.crowded - b.crowded,
  (a, b) => priceOf(a) - priceOf(b),
);

const countLeft = ({ left }: Outcome): number =>
  left.reduce((sum, waiting) => sum + waiting.left.length, 0);

const priceOf = ({ claims }: Outcome): number =>
  claims.reduce((sum, { cheapest }) => sum + cheapest.offering.usdPerHour, 0);
