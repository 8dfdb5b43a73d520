import { missedDeadline } from '#lib/lifecycle/joining/liveness.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { LAUNCHED, REGISTERED } from '#lib/model/condition-types.ts';
import { type ConditionChange, conditionOf, isTrue } from '#lib/model/conditions.ts';
import { REGISTRATIONS } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import {
  decodeRegistrations,
  encodeRegistrations,
  isHealthy,
  type Outcome,
  pushed,
  type Registrations,
} from './registrations.ts';

const NODE_REGISTRATION_HEALTHY = 'NodeRegistrationHealthy';

/** What a look makes of the health of a NodePool's registrations. */
export interface PoolHealth {
  readonly condition: ConditionChange;
  /** What its annotation shall say; null where there is nothing to remember. */
  readonly annotation: string | null;
}

/** Something that happened to a NodeClaim of the pool. */
interface Registration {
  readonly at: number;
  readonly outcome: Outcome;
  readonly claim: NodeClaim;
}

/**
 * Whether the nodes that a pool launches come up: Unknown when the pool or its NodeClass has just
 * changed, else by the last four that registered or missed their deadlines: two failures among them
 * are too many.
 *
 * Upstream keeps these four in memory. Here they stand in an annotation of the NodePool, with the
 * instant up to which they count; what has happened since is read off the NodeClaims, so that a
 * write that was lost is made up for.
 * Source: karpenter v1.14, state/nodepoolhealth; nodepool/registrationhealth.
 */
export function poolHealth(
  pool: NodePool,
  members: readonly StateNode[],
  around: Surroundings,
): PoolHealth {
  const before = conditionOf(pool.status.conditions, NODE_REGISTRATION_HEALTHY);
  if (!before || isOutdated(pool, around)) return { condition: UNKNOWN, annotation: null };
  let remembered = decodeRegistrations(pool.meta.annotations[REGISTRATIONS]) ?? {
    until: before.changedAt,
    outcomes: SEEDS[before.status],
  };
  const { type, status, reason, message } = before;
  let condition: ConditionChange = { type, status, reason, message };
  for (const registration of newsOf(pool, members, { around, since: remembered.until })) {
    remembered = withNews(remembered, registration);
    condition = conditionAfter(condition, remembered, registration, around);
  }
  const isNothing = remembered.outcomes.length === 0;
  return { condition, annotation: isNothing ? null : encodeRegistrations(remembered) };
}

const UNKNOWN: ConditionChange = {
  type: NODE_REGISTRATION_HEALTHY,
  status: 'Unknown',
  reason: 'AwaitingReconciliation',
  message: 'object is awaiting reconciliation',
};

/** What a condition stands for where nothing was remembered. Source: as above, on a restart. */
const SEEDS: Readonly<Record<'True' | 'False' | 'Unknown', readonly Outcome[]>> = {
  True: ['ok'],
  False: ['failed', 'failed'],
  Unknown: [],
};

const withNews = ({ outcomes }: Registrations, { at, outcome }: Registration): Registrations => ({
  until: at,
  outcomes: pushed(outcomes, outcome),
});

function conditionAfter(
  before: ConditionChange,
  { outcomes }: Registrations,
  { outcome, claim }: Registration,
  around: Surroundings,
): ConditionChange {
  if (outcome === 'ok') {
    return isHealthy(outcomes) ? { type: NODE_REGISTRATION_HEALTHY, status: 'True' } : before;
  }
  return isHealthy(outcomes) || before.status === 'False' ? before : unhealthy(claim, around);
}

/** Registrations and missed deadlines after an instant, in their order. */
function newsOf(
  pool: NodePool,
  members: readonly StateNode[],
  { around, since }: { readonly around: Surroundings; readonly since: number },
): readonly Registration[] {
  return members
    .flatMap(({ claim }) => (claim && isOwnedBy(claim, pool) ? [claim] : []))
    .flatMap((claim) => registrationOf(claim, around) ?? [])
    .filter(({ at }) => at > since)
    .sort((a, b) => a.at - b.at || (a.claim.meta.name < b.claim.meta.name ? -1 : 1));
}

function registrationOf(claim: NodeClaim, { now }: Surroundings): Registration | undefined {
  const { conditions } = claim.status;
  if (isTrue(conditions, REGISTERED)) {
    const at = conditionOf(conditions, REGISTERED)?.changedAt ?? 0;
    return { at, outcome: 'ok', claim };
  }
  const missed = missedDeadline(claim, now);
  // One that somebody deleted before is no failure of its own.
  if (!missed || (claim.meta.deletedAt ?? now) < missed.at) return undefined;
  return { at: missed.at, outcome: 'failed', claim };
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

function unhealthy(claim: NodeClaim, { now }: Surroundings): ConditionChange {
  const launched = conditionOf(claim.status.conditions, LAUNCHED);
  const isLaunchAtFault = missedDeadline(claim, now)?.which === 'launch_timeout';
  return {
    type: NODE_REGISTRATION_HEALTHY,
    status: 'False',
    reason: (isLaunchAtFault ? launched?.reason : undefined) ?? 'RegistrationFailed',
    message: (isLaunchAtFault ? launched?.message : undefined) ?? 'Failed to register node',
  };
}
