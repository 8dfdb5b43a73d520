import type { Resources } from '#lib/constraints/resources.ts';
import type { Choice } from '../admission.ts';
import { byPrice } from './by-price.ts';
import { holdersOf, type NodeClaimDraft, requirementsOfDraft } from './draft.ts';
import { chargeOf } from './ledger.ts';
import { chargeFor, shareOf } from './limits.ts';
import { unmetMinimums } from './min-values.ts';

/**
 * The least that a NodeClaim of this draft takes of what limits leave: as much as its shape; where
 * minimums demand other types beside it, as much as the largest of those that take least.
 *
 * Cost: with minimums, the types that hold the draft, times the logarithm of their number.
 */
export function leastCharge(draft: NodeClaimDraft, allowance: Resources): Resources {
  if (!draft.admission.source.hasMinValues) return chargeFor(draft.shape, allowance);
  const shareWith = (choice: Choice): number => shareOf(choice, allowance);
  const holders = holdersOf({ ...draft, allowance }).toSorted(
    (a, b) => shareWith(a) - shareWith(b) || byPrice(a, b),
  );
  const isEnough = (count: number): boolean =>
    unmetMinimums(
      holders.slice(0, count).map(({ sourceType }) => sourceType),
      requirementsOfDraft(draft),
    ).length === 0;
  let [tooFew, enough] = [0, holders.length];
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return chargeOf([draft.shape, ...holders.slice(0, enough)], allowance);
}
