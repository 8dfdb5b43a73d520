import { type ClaimStep, metaDifference, NO_STEP, takeSteps } from '#lib/lifecycle/step.ts';
import { type Surroundings, servedPools, surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import { DRIFTED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { NODEPOOL, NODEPOOL_HASH, NODEPOOL_HASH_VERSION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { NODEPOOL_HASH_VERSION_VALUE, nodePoolHash } from '#lib/model/node-pool-hash.ts';
import { nodePoolRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * Keeps a NodePool's hash and its version as annotations. A pool that bears another version is
 * stamped only when no NodeClaim of it does: they are re-stamped first, else they would drift.
 *
 * Source: karpenter v1.14, nodepool/hash/controller.go.
 */
export function hashActions(pool: NodePool, around: Surroundings): readonly Action[] {
  if (bearsOtherVersion(pool) && around.claims.some((claim) => isOlder(claim, pool))) return [];
  const meta = metaDifference(pool.meta, {
    annotations: {
      [NODEPOOL_HASH]: nodePoolHash(pool),
      [NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION_VALUE,
    },
  });
  return meta ? [{ kind: 'update', object: nodePoolRef(pool), meta }] : [];
}

const bearsOtherVersion = ({ meta }: NodePool): boolean =>
  meta.annotations[NODEPOOL_HASH_VERSION] !== NODEPOOL_HASH_VERSION_VALUE;

/** Drift is not asked of those that are being deleted, which may take long. */
const isOlder = ({ meta }: NodeClaim, pool: NodePool): boolean =>
  meta.deletedAt === undefined &&
  meta.labels[NODEPOOL] === pool.meta.name &&
  meta.annotations[NODEPOOL_HASH_VERSION] !== NODEPOOL_HASH_VERSION_VALUE;

/** Every stamp that is missing or outdated: NodeClaims' first, then NodePools', by name. */
export function stampHashes(snapshot: Snapshot): readonly Action[] {
  const around = surroundingsOf(snapshot);
  return [
    ...around.claims.flatMap(
      (claim) => takeSteps(claim, [restampStep(claim, around)], around.now).actions,
    ),
    ...servedPools(snapshot).flatMap((pool) => hashActions(pool, around)),
  ];
}

/**
 * Re-stamps a NodeClaim whose hash was computed in another way, so that the new way alone makes
 * nothing drift. One that has drifted already keeps its hash, and so stays drifted.
 */
export function restampStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const pool = around.nodePools.get(claim.meta.labels[NODEPOOL] ?? '');
  if (!pool || !bearsOtherVersion(pool) || !isOlder(claim, pool)) return NO_STEP;
  const hasDrifted = conditionOf(claim.status.conditions, DRIFTED) !== undefined;
  return {
    meta: {
      annotations: {
        [NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION_VALUE,
        ...(hasDrifted ? {} : { [NODEPOOL_HASH]: nodePoolHash(pool) }),
      },
    },
    lookAgainInMs: 1_000,
  };
}
