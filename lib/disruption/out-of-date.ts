import { NODEPOOL, NODEPOOL_HASH, NODEPOOL_HASH_VERSION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Kept } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * The nodes that are no longer what their NodePool's template says, or older than they may become,
 * by name. They are told, not replaced: each stays, with what would make it go. So far drift is
 * seen in the template's hash alone.
 *
 * Source: karpenter v1.14, nodeclaim/disruption/drift.go (static drift), nodeclaim/expiration.
 */
export function outOfDate({ nodes, nodePools, takenAt }: Snapshot): readonly Kept[] {
  const pools = new Map(nodePools.map((pool) => [pool.meta.name, pool]));
  return nodes.flatMap(({ name, claim }) => {
    if (claim === undefined || claim.meta.deletedAt !== undefined) return [];
    const pool = pools.get(claim.meta.labels[NODEPOOL] ?? '');
    if (pool && hasStaticDrift(claim, pool)) return [{ node: name, ...DRIFTED }];
    return isExpired(claim, takenAt) ? [{ node: name, ...EXPIRED }] : [];
  });
}

const DRIFTED = {
  by: 'NodePoolDrifted',
  because: "its NodePool's template has changed; this version does not replace drifted nodes",
};
const EXPIRED = {
  by: 'Expired',
  because: 'it is older than its expireAfter; this version does not replace expired nodes',
};

/** Both must carry hash and version, and the versions must be equal, for their hashes to tell. */
function hasStaticDrift(claim: NodeClaim, pool: NodePool): boolean {
  const [ours, theirs] = [claim.meta.annotations, pool.meta.annotations];
  const version = ours[NODEPOOL_HASH_VERSION];
  if (version === undefined || version !== theirs[NODEPOOL_HASH_VERSION]) return false;
  const [made, wanted] = [ours[NODEPOOL_HASH], theirs[NODEPOOL_HASH]];
  return made !== undefined && wanted !== undefined && made !== wanted;
}

const isExpired = ({ meta, spec }: NodeClaim, now: number): boolean =>
  spec.expireAfter !== 'Never' && now - meta.createdAt >= spec.expireAfter;
