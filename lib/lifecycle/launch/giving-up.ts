import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';

/** Source: karpenter v1.14, events and conditions that quote a cloud's error. */
const MESSAGE_LENGTH = 300;

/** Deletes a NodeClaim that no capacity could be found for, and says so on it. */
export function giveUp(claim: NodeClaim, why: string, reason: string): readonly Action[] {
  return [
    {
      kind: 'recordEvent',
      about: claimRef(claim),
      type: 'Warning',
      reason: 'InsufficientCapacityError',
      message: `NodeClaim ${claim.meta.name} event: ${why.slice(0, MESSAGE_LENGTH)}`,
    },
    deletion(claim, reason),
  ];
}

/** Deletes a NodeClaim, for a reason in the words of upstream's metric. */
export const deletion = (claim: NodeClaim, because: string): Action => ({
  kind: 'delete',
  object: claimRef(claim),
  because,
});
