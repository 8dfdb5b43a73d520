import { compareText } from '#lib/constraints/order.ts';
import { CAPACITY_RESERVATION_KEYS } from '#lib/ec2/catalog/instance-type-labels.ts';
import type { Instance } from '#lib/model/instance.ts';
import { CAPACITY_TYPE, REGISTERED, RESERVATION_ID } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * What becomes of nodes whose reservation ends, by name: those of a capacity block that is about to
 * end are let go before EC2 takes them; those that EC2 no longer counts to their reservation are
 * labelled as what they are, on-demand. Nothing is ever labelled as reserved. Where the instances
 * are not known, nothing is labelled.
 *
 * Source: karpenter AWS provider v1.14, controllers/capacityreservation/{expiration,capacitytype}.
 */
export function reservedUpkeep(snapshot: Snapshot): readonly Action[] {
  const ending = new Set(
    snapshot.nodeClasses
      .flatMap(({ status }) => status.capacityReservations)
      .filter(
        ({ state, reservationType }) =>
          state === 'expiring' && reservationType === 'capacity-block',
      )
      .map(({ id }) => id),
  );
  const onDemand = new Set(
    (snapshot.instances ?? [])
      .filter(({ capacityType }) => capacityType === 'on-demand')
      .map(({ id }) => id),
  );
  const states = [...snapshot.nodes].sort((a, b) => compareText(a.name, b.name));
  return states.flatMap((state): readonly Action[] => {
    const { claim } = state;
    if (claim === undefined || !isServed(claim.spec.nodeClassRef)) return [];
    if (claim.meta.deletedAt !== undefined) return [];
    if (ending.has(claim.meta.labels[RESERVATION_ID] ?? '')) return [letGo(claim)];
    return onDemand.has(instanceIdOf(claim)) ? relabelled(state, claim) : [];
  });
}

const letGo = (claim: NodeClaim): Action => ({
  kind: 'delete',
  object: claimRef(claim),
  because: 'capacity_reservation_expiring',
});

/** The Node is mended by itself: its NodeClaim may have been by a look that ended too early. */
function relabelled({ node }: StateNode, claim: NodeClaim): readonly Action[] {
  const mended: Action[] = [];
  if (isReserved(claim.meta)) {
    mended.push({ kind: 'update', object: claimRef(claim), meta: AS_ON_DEMAND });
  }
  if (
    node !== undefined &&
    node.meta.deletedAt === undefined &&
    node.meta.labels[REGISTERED] === 'true' &&
    isReserved(node.meta)
  ) {
    mended.push({ kind: 'update', object: nodeRef(node), meta: AS_ON_DEMAND });
  }
  return mended;
}

const AS_ON_DEMAND: MetaChange = {
  labels: {
    [CAPACITY_TYPE]: 'on-demand',
    ...Object.fromEntries(CAPACITY_RESERVATION_KEYS.map((key) => [key, null])),
  },
};

const isReserved = ({ labels }: ObjectMeta): boolean => labels[CAPACITY_TYPE] === 'reserved';

/** Example: aws:///us-east-1a/i-1 is about i-1; '' where there is no instance yet. */
const instanceIdOf = ({ status }: NodeClaim): Instance['id'] =>
  status.providerId?.split('/').at(-1) ?? '';
