import { requirementOf } from '#lib/constraints/requirement.ts';
import { CAPACITY_TYPE } from '#lib/model/labels.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { Blocked } from '../candidates.ts';
import { admitsSpot, onlyCheapest, restrictClaim } from './certain-price.ts';
import type { Source } from './eligible.ts';

/** So many cheaper types must be left for spot to replace spot. Source: karpenter v1.14, consolidation.go. */
const LEAST_SPOT_TYPES = 15;

/** What is asked of replacements of spot nodes. */
interface SpotTerms {
  /** The claims bound to spot where that is called for, or why they may not be. */
  readonly pin: (claims: readonly SealedClaim[]) => readonly SealedClaim[] | Blocked;
  /** What the price filter left cut to the cheapest 15, or that it is not flexible enough. */
  readonly trim: (claims: readonly SealedClaim[]) => readonly SealedClaim[] | Blocked;
}

/**
 * Spot nodes are replaced by spot nodes only where a gate allows it, and only if a launch still has
 * 15 types to choose from, so that nodes do not ladder down to what is reclaimed soonest. Upstream
 * asks for them of one node alone, not of several at once; here always. The launch is bound to the
 * cheapest of them, so that the same rule does not replace the new node at once.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, computeSpotToSpotConsolidation.
 */
export function keepsSpotFlexible(set: readonly Source[], isAllowed: boolean): SpotTerms {
  const areSpot = set.every(({ capacityType }) => capacityType === 'spot');
  const spotOf = (claim: SealedClaim): boolean => areSpot && admitsSpot(claim);
  return {
    pin: (claims) => {
      if (!claims.some(spotOf)) return claims;
      if (!isAllowed) return DISABLED;
      const pinned = claims.map((claim) =>
        spotOf(claim) ? restrictClaim(onlySpot(claim), () => true) : claim,
      );
      const blocked = pinned.find((claim) => 'by' in claim);
      if (blocked) return blocked;
      return pinned.flatMap((claim) => ('by' in claim ? [] : [claim]));
    },
    trim: (claims) => {
      const short = claims.find(
        (claim) => spotOf(claim) && claim.instanceTypes.length < LEAST_SPOT_TYPES,
      );
      if (short) return inflexible(short.instanceTypes.length);
      return claims.map((claim) => (spotOf(claim) ? onlyCheapest(claim, LEAST_SPOT_TYPES) : claim));
    },
  };
}

const inflexible = (count: number): Blocked => ({
  by: 'spot-to-spot',
  because: `SpotToSpotConsolidation requires ${LEAST_SPOT_TYPES} cheaper instance type options than the current candidate to consolidate, got ${count}`,
});

const DISABLED: Blocked = {
  by: 'spot-to-spot',
  because: "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
};

const onlySpot = (claim: SealedClaim): SealedClaim => ({
  ...claim,
  requirements: new Map([
    ...claim.requirements,
    [CAPACITY_TYPE, requirementOf({ key: CAPACITY_TYPE, operator: 'In', values: ['spot'] })],
  ]),
});
