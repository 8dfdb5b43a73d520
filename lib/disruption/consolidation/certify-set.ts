import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, type Axes, plus } from '#lib/solver/amounts.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { SimulationResult } from '#lib/solver/simulation.ts';
import type { Blocked, Candidate } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import { CANNOT, type PricedType, pricedTypes, restrictClaim } from './certain-price.ts';
import type { Source } from './eligible.ts';
import type { FairPrices } from './fair-price.ts';
import type { Hurdle } from './hurdle.ts';
import { landingPlaceOf, leftOut } from './landing.ts';
import { withinLimits } from './limits.ts';
import type { MoverMaker } from './movers.ts';
import { keepsSpotFlexible } from './spot-to-spot.ts';
import { type Leading, movedPods, type World } from './world.ts';

/** How a set of nodes is judged. */
export interface Terms {
  readonly world: World;
  readonly hurdle: Hurdle;
  /** Whether spot nodes may be replaced by spot nodes. */
  readonly spotToSpot: boolean;
  readonly maker: MoverMaker;
  readonly axes: Axes;
  readonly prices: FairPrices;
  /** Types that nobody may go back to, for these nodes. */
  readonly shunned: (set: readonly Source[]) => ReadonlySet<string>;
}

/**
 * The command that removes these nodes, or why it does not come about: every pod must have a place,
 * on nodes that stay or on new ones, and what is saved for certain must be worth the moves.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, computeConsolidation. There one new node is
 * the most; here there may be several, as long as they are cheaper together.
 */
export function certifySet(
  set: readonly Source[],
  leading: Leading,
  terms: Terms,
): DraftCommand | Blocked {
  const members = set.map(({ candidate }) => candidate);
  const simulated = terms.world.without(members, leading);
  const unplaced = notAllPlaced(simulated);
  if (unplaced) return unplaced;
  const removedUsdPerHour = set.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
  const { placements } = simulated;
  const podsMoved =
    placements.length + simulated.claims.reduce((sum, { pods }) => sum + pods.length, 0);
  const atLeast = terms.hurdle.of(podsMoved, set.length);
  const ceiling = removedUsdPerHour - atLeast;
  const replacements = affordable(simulated.claims, { set, ceiling, terms });
  if ('by' in replacements) return replacements;
  const worstUsdPerHour = replacements.reduce((sum, claim) => sum + dearestOf(claim), 0);
  if (removedUsdPerHour - worstUsdPerHour < atLeast || removedUsdPerHour <= worstUsdPerHour) {
    return tooLittle(removedUsdPerHour - worstUsdPerHour, podsMoved, atLeast);
  }
  const surely = removedUsdPerHour - worstUsdPerHour;
  const risk = riskOf(members, replacements, terms);
  if (surely - risk < atLeast) return tooRisky(surely, risk);
  const expectedUsd = replacements.reduce(
    (sum, { cheapest }) => sum + cheapest.offering.usdPerHour,
    0,
  );
  return {
    reason: 'Underutilized',
    members: members.toSorted((a, b) => (a.state.name < b.state.name ? -1 : 1)),
    replacements,
    placements,
    podsMoved,
    savesUsdPerHour: toNanos(removedUsdPerHour - expectedUsd),
    certificate: {
      removedUsdPerHour: toNanos(removedUsdPerHour),
      worstUsdPerHour: toNanos(worstUsdPerHour),
    },
  };
}

/** What nodes would cost for pods that find no room where kube-scheduler puts the others. */
function riskOf(
  members: readonly Candidate[],
  replacements: readonly SealedClaim[],
  { world, maker, axes, prices }: Terms,
): number {
  const names = new Set(members.map(({ state }) => state.name));
  const movers = movedPods(members, world.withCreated()).map(maker.moverOf);
  const places = [
    ...world.landingPlaces().filter(({ host }) => !names.has(host.name)),
    ...replacements.map((claim, at) => landingPlaceOf(claim, `replacement ${at}`, axes)),
  ];
  const outcomes = leftOut(movers, places, axes).map((left) =>
    left.length === 0
      ? 0
      : prices.nodeFor(
          left.reduce<Amounts>(
            (sum, { kind }) => plus(sum, kind.amounts),
            axes.map(() => 0),
          ),
        ),
  );
  return outcomes.reduce((sum, usd) => sum + usd, 0) / outcomes.length;
}

function tooRisky(saves: number, risk: number): Blocked {
  const because = `it would save $${saves.toFixed(4)}/h, but pods might find no room where kube-scheduler puts others, which would cost $${risk.toFixed(4)}/h`;
  return { by: 'hysteresis', because };
}

/** Sums of prices carry the noise of binary fractions. */
const toNanos = (usd: number): number => Math.round(usd * 1e9) / 1e9;

const SPELLED_OUT = 5;

/** Source of the words: karpenter v1.14, disruption/consolidation.go, NonPendingPodSchedulingErrors. */
function notAllPlaced({ blocking }: SimulationResult): Blocked | undefined {
  const errors = blocking.flatMap(({ pods, rejection }) =>
    pods.map((pod) => `${nameOf(pod)} => ${rejection.because}`),
  );
  if (errors.length === 0) return undefined;
  const more = errors.length - SPELLED_OUT;
  const told = errors.toSorted().slice(0, SPELLED_OUT).join('; ');
  const rest = more > 0 ? ` and ${more} other(s)` : '';
  return { by: 'scheduling', because: `Not all pods would schedule, ${told}${rest}` };
}

const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;

interface Purse {
  readonly set: readonly Source[];
  /** What all replacements together may cost at worst. */
  readonly ceiling: number;
  readonly terms: Terms;
}

/** The replacements, each listing only types that keep the sum of the worst prices affordable. */
function affordable(
  claims: readonly SealedClaim[],
  { set, ceiling, terms }: Purse,
): readonly SealedClaim[] | Blocked {
  if (claims.length === 0) return [];
  const flexible = keepsSpotFlexible(set, terms.spotToSpot);
  const pinned = flexible.pin(claims);
  if ('by' in pinned) return pinned;
  const least = pinned.map((claim) => Math.min(...pricedTypes(claim).map(worstOfType)));
  const sum = least.reduce((total, each) => total + each, 0);
  if (!(sum < ceiling)) return CANNOT;
  const shunned = terms.shunned(set);
  const affordableClaims: SealedClaim[] = [];
  for (const [at, claim] of pinned.entries()) {
    const cap = ((least[at] ?? 0) / sum) * ceiling;
    const isLikeOneOfThem = likeness(claim, set, claims.length);
    const restricted = restrictClaim(
      claim,
      (type) =>
        type.worstUsdPerHour <= cap &&
        !shunned.has(type.sourceType.type.name) &&
        !isLikeOneOfThem(type),
    );
    if ('by' in restricted) return restricted;
    affordableClaims.push(restricted);
  }
  const limited = withinLimits(affordableClaims, terms.world.withCreated());
  if ('by' in limited) return limited;
  return flexible.trim(limited);
}

const worstOfType = ({ worstUsdPerHour }: { readonly worstUsdPerHour: number }): number =>
  worstUsdPerHour;

/** What a launch of the claim costs at most, whichever of its types comes. */
const dearestOf = (claim: SealedClaim): number =>
  Math.max(0, ...pricedTypes(claim).map(worstOfType));

/**
 * Several nodes are not replaced by one that is like one of them: that one would rather be kept. So
 * one node that replaces them costs less than the cheapest of them that is of a listed type; where
 * several replace them, none is of the type of one that cost no more.
 *
 * Source: karpenter v1.14, disruption/multinodeconsolidation.go, filterOutSameInstanceType.
 */
function likeness(
  { instanceTypes }: SealedClaim,
  set: readonly Source[],
  replacements: number,
): (type: PricedType) => boolean {
  if (set.length < 2) return () => false;
  const listed = new Set(instanceTypes);
  const alike = set.filter(({ instanceType }) => listed.has(instanceType));
  if (replacements === 1) {
    const least = Math.min(...alike.map(({ usdPerHour }) => usdPerHour));
    return ({ worstUsdPerHour }) => worstUsdPerHour >= least;
  }
  return ({ sourceType, worstUsdPerHour }) =>
    alike.some(
      ({ instanceType, usdPerHour }) =>
        instanceType === sourceType.type.name && worstUsdPerHour >= usdPerHour,
    );
}

function tooLittle(saves: number, podsMoved: number, atLeast: number): Blocked {
  const pods = podsMoved === 1 ? '1 pod' : `${podsMoved} pods`;
  return {
    by: 'hysteresis',
    because: `it would save $${saves.toFixed(4)}/h, less than the $${atLeast.toFixed(4)}/h that moving ${pods} has to bring`,
  };
}
