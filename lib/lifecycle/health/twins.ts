import { chain, compareText } from '#lib/constraints/order.ts';
import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef } from '#lib/model/object-ref.ts';

/**
 * Deletes a NodeClaim whose instance another one holds, and says so: as a node it would be room
 * that is not there, and pods would wait on it for ever. The one that stays is named by the Node as
 * its owner, else the older. Who goes takes neither Node nor instance along: see termination.
 *
 * Source: karpenter v1.14, state/cluster.go, where NodeClaims of one provider id are one node, and
 * node/termination/controller.go, which then knows no NodeClaim at all and leaves the instance.
 */
export function twinStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const rightful = rightfulHolder(claim, around);
  if (rightful === undefined || rightful.meta.uid === claim.meta.uid) return NO_STEP;
  const message = `${rightful.meta.name} has the instance ${instanceIdOf(claim.status.providerId)}, too: one of both is deleted, the node stays`;
  return {
    actions: [
      {
        kind: 'recordEvent',
        about: claimRef(claim),
        type: 'Warning',
        reason: 'InstanceHeldTwice',
        message,
      },
      deletion(claim, 'duplicate'),
    ],
    lookAgainInMs: 1_000,
  };
}

/** Whether another NodeClaim, which stays, holds the instance as well. */
export const isHeldByAnother = (claim: NodeClaim, around: Surroundings): boolean =>
  livingHolders(claim, around).some(({ meta }) => meta.uid !== claim.meta.uid);

function rightfulHolder(claim: NodeClaim, around: Surroundings): NodeClaim | undefined {
  const holders = livingHolders(claim, around);
  if (holders.length < 2) return undefined;
  const owners = new Set(
    nodesOf(around, claim).flatMap(({ node }) => node?.meta.owners.map(({ uid }) => uid) ?? []),
  );
  return holders.toSorted(byRight(owners))[0];
}

const livingHolders = (claim: NodeClaim, { holders }: Surroundings): readonly NodeClaim[] =>
  (holders.get(instanceIdOf(claim.status.providerId) ?? '') ?? []).filter(
    ({ meta }) => meta.deletedAt === undefined,
  );

const byRight = (owners: ReadonlySet<string>) =>
  chain<NodeClaim>(
    (a, b) => Number(owners.has(b.meta.uid)) - Number(owners.has(a.meta.uid)),
    (a, b) => a.meta.createdAt - b.meta.createdAt,
    (a, b) => compareText(a.meta.name, b.meta.name),
  );
