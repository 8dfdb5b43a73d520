import { LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { type ConditionChange, conditionOf, isTrue } from '#lib/model/conditions.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { timeoutOf } from './liveness.ts';
import type { Surroundings } from './surroundings.ts';

const NODE_REGISTRATION_HEALTHY = 'NodeRegistrationHealthy';
/** How many failures make a pool unhealthy. Source: karpenter v1.14, state/nodepoolhealth. */
const FAILURES = 2;

/**
 * Whether the nodes that a pool launches come up: Unknown when the pool or its NodeClass has just
 * changed, True since a node registered, False when two NodeClaims miss their deadlines at once.
 *
 * Upstream keeps the last four outcomes in memory. Here each look judges by what it sees: the
 * NodeClaims that it gives up, and those that have registered since the condition last changed.
 */
export function healthChange(
  pool: NodePool,
  members: readonly StateNode[],
  around: Surroundings,
): ConditionChange | undefined {
  const before = conditionOf(pool.status.conditions, NODE_REGISTRATION_HEALTHY);
  if (!before || isOutdated(pool, around)) {
    return {
      type: NODE_REGISTRATION_HEALTHY,
      status: 'Unknown',
      reason: 'AwaitingReconciliation',
      message: 'object is awaiting reconciliation',
    };
  }
  const claims = members.flatMap(({ claim }) =>
    claim && isOwnedBy(claim, pool) && claim.meta.deletedAt === undefined ? [claim] : [],
  );
  const failed = claims.filter((claim) => timeoutOf(claim, around.now) !== undefined);
  if (failed.length >= FAILURES) return unhealthy(failed[0], around);
  const registeredAt = claims.map(({ status }) =>
    isTrue(status.conditions, REGISTERED)
      ? (conditionOf(status.conditions, REGISTERED)?.changedAt ?? 0)
      : 0,
  );
  const isNews = before.status !== 'True' && Math.max(0, ...registeredAt) >= before.changedAt;
  const { type, status, reason, message } = before;
  return isNews
    ? { type: NODE_REGISTRATION_HEALTHY, status: 'True' }
    : { type, status, reason, message };
}

/** Judged on another template, or on another NodeClass, than there is now. */
function isOutdated(pool: NodePool, { nodeClasses }: Surroundings): boolean {
  const before = conditionOf(pool.status.conditions, NODE_REGISTRATION_HEALTHY);
  const nodeClass = nodeClasses.get(pool.template.nodeClassRef.name);
  const observed = pool.status.nodeClassObservedGeneration;
  return (
    before?.observedGeneration !== pool.meta.generation ||
    (nodeClass !== undefined && observed !== nodeClass.meta.generation)
  );
}

const isOwnedBy = ({ meta }: NodeClaim, pool: NodePool): boolean =>
  meta.owners.some(({ uid }) => uid === pool.meta.uid);

function unhealthy(claim: NodeClaim | undefined, { now }: Surroundings): ConditionChange {
  const launched = conditionOf(claim?.status.conditions ?? [], LAUNCHED);
  const isLaunchAtFault = claim && timeoutOf(claim, now) === 'launch_timeout';
  return {
    type: NODE_REGISTRATION_HEALTHY,
    status: 'False',
    reason: (isLaunchAtFault ? launched?.reason : undefined) ?? 'RegistrationFailed',
    message: (isLaunchAtFault ? launched?.message : undefined) ?? 'Failed to register node',
  };
}
