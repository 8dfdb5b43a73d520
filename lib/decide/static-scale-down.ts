import { isProtected } from '#lib/consent/do-not-disrupt.ts';
import { isActive, isDaemon } from '#lib/consent/pod-state.ts';
import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { Command } from '#lib/model/command.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { membersOf, staticPools } from './static-pools.ts';

/** The nodes that static NodePools have too many of. */
export interface StaticSurplus {
  readonly actions: readonly Action[];
  readonly commands: readonly Command[];
}

/**
 * Deletes the NodeClaims that static NodePools have too many of: first those that never became a
 * node, then nodes that hold only DaemonSets' pods, then those whose pods cost least to move; those
 * with a pod that must not be disrupted come last. No budget has a say; draining still asks.
 *
 * Source: karpenter v1.14, static/deprovisioning/controller.go.
 */
export function staticSurplus(snapshot: Snapshot): StaticSurplus {
  const victims = staticPools(snapshot)
    .filter(({ meta }) => meta.deletedAt === undefined)
    .flatMap((pool) => victimsOf(pool, snapshot));
  return {
    actions: victims.flatMap(({ claim }): readonly Action[] =>
      claim ? [{ kind: 'delete', object: claimRef(claim), because: 'ScaledDown' }] : [],
    ),
    commands: victims.map((state) => ({
      reason: 'ScaledDown',
      remove: [state.name],
      replaceWith: [],
      podsMoved: state.pods.filter(isReschedulable).length,
      savesUsdPerHour: priceOfNode(state, snapshot.catalog) ?? 0,
    })),
  };
}

function victimsOf(pool: NodePool, snapshot: Snapshot): readonly StateNode[] {
  const { running } = membersOf(pool, snapshot);
  const surplus = running.length - (pool.replicas ?? 0);
  if (surplus <= 0) return [];
  return running
    .map((state) => ({ state, rank: rankOf(state, snapshot.takenAt) }))
    .sort(
      (a, b) =>
        a.rank.tier - b.rank.tier ||
        a.rank.cost - b.rank.cost ||
        compareText(a.state.name, b.state.name),
    )
    .slice(0, surplus)
    .map(({ state }) => state);
}

function rankOf(
  { claim, pods }: StateNode,
  now: EpochMs,
): { readonly tier: number; readonly cost: number } {
  if (claim?.status.providerId === undefined) return { tier: 0, cost: 0 };
  const isGuarded = pods.some((pod) => isActive(pod) && isProtected(pod, now));
  if (!isGuarded && pods.every(isDaemon)) return { tier: 1, cost: 0 };
  const share = lifetimeLeft(claim.meta.createdAt, claim.spec.expireAfter, now);
  const cost = pods.reduce((sum, pod) => sum + evictionCost(pod), 0) * share;
  return { tier: isGuarded ? 3 : 2, cost };
}

/** Source: karpenter v1.14, utils/disruption/disruption.go, LifetimeRemaining. */
function lifetimeLeft(createdAt: EpochMs, expireAfter: number | 'Never', now: EpochMs): number {
  if (expireAfter === 'Never' || expireAfter <= 0) return 1;
  return Math.min(1, Math.max(0, (expireAfter - (now - createdAt)) / expireAfter));
}

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const DELETION_COST_UNIT = 2 ** 27;
const PRIORITY_UNIT = 2 ** 25;
const MOST = 10;

/** What it costs to move a pod: 1, more for important ones. Source: ibid., EvictionCost. */
function evictionCost({ meta, priority }: Pod): number {
  const deletionCost = Number(meta.annotations[DELETION_COST] ?? 0);
  const ofDeletion = Number.isFinite(deletionCost) ? deletionCost / DELETION_COST_UNIT : 0;
  const cost = 1 + ofDeletion + priority / PRIORITY_UNIT;
  return Math.min(MOST, Math.max(-MOST, cost));
}
