import { compareText } from '#lib/constraints/order.ts';
import { onlyValue, requirementsOf } from '#lib/constraints/requirements.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { RESERVATION_ID } from '#lib/model/labels.ts';
import type { NewNodeClaim, NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Creation } from './creations.ts';

/**
 * The Snapshot as the next look would find it once these NodeClaims have been created: what is
 * planned in one part of a decision counts in the next, against limits and reservations and as
 * room.
 */
export function withCreated(snapshot: Snapshot, creations: readonly Creation[]): Snapshot {
  if (creations.length === 0) return snapshot;
  const claims = creations.map(({ claim }) => asCreated(claim, snapshot.takenAt));
  const created = claims.map((claim) => ({ name: claim.meta.name, claim, pods: [] }));
  const nodes = [...snapshot.nodes, ...created].sort((a, b) => compareText(a.name, b.name));
  return { ...snapshot, nodes, catalog: withoutReserved(snapshot.catalog, takenBy(claims)) };
}

const asCreated = ({ name, labels, annotations, spec }: NewNodeClaim, now: EpochMs): NodeClaim => ({
  meta: {
    name,
    uid: `planned ${name}`,
    resourceVersion: '',
    generation: 1,
    createdAt: now,
    labels,
    annotations,
    finalizers: [],
    owners: [],
  },
  spec,
  status: { capacity: {}, allocatable: {}, conditions: [] },
});

/** How many instances of each reservation these claims will draw. */
function takenBy(claims: readonly NodeClaim[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { spec } of claims) {
    const id = onlyValue(requirementsOf(spec.requirements), RESERVATION_ID);
    if (id !== undefined) taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return taken;
}

function withoutReserved(catalog: Catalog, taken: ReadonlyMap<string, number>): Catalog {
  if (taken.size === 0) return catalog;
  const left = (lists: ReadonlyMap<string, readonly InstanceType[]>) =>
    new Map([...lists].map(([name, types]) => [name, types.map(lessReserved(taken))] as const));
  const { byNodeClass, byNodePool } = catalog;
  return {
    ...catalog,
    byNodeClass: left(byNodeClass),
    ...(byNodePool && { byNodePool: left(byNodePool) }),
  };
}

const lessReserved =
  (taken: ReadonlyMap<string, number>) =>
  (type: InstanceType): InstanceType => {
    const isTouched = type.offerings.some(({ reservationId = '' }) => taken.has(reservationId));
    if (!isTouched) return type;
    const offerings = type.offerings.map((offering) => {
      const { reservationId = '', reservationCapacity = 0 } = offering;
      const gone = taken.get(reservationId);
      return gone === undefined
        ? offering
        : { ...offering, reservationCapacity: Math.max(0, reservationCapacity - gone) };
    });
    return { ...type, offerings };
  };
