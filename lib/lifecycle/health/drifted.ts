import {
  agrees,
  isCompatible,
  requirementsOf,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import { type Ec2Drift, ec2Drift } from '#lib/ec2/drift.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import { type ClaimStep, NO_STEP, takeSteps } from '#lib/lifecycle/step.ts';
import { type Surroundings, surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import { typesForClaim } from '#lib/model/catalog.ts';
import { DRIFTED, LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import {
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODEPOOL,
  NODEPOOL_HASH,
  NODEPOOL_HASH_VERSION,
  REBALANCE,
  REBALANCE_RECOMMENDED,
  RESERVATION_ID,
  RESERVATION_INTERRUPTIBLE,
  RESERVATION_TYPE,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** Why a node is no longer what its NodePool would make now, in upstream's words. */
type DriftReason =
  | 'NodePoolDrifted'
  | 'RequirementsDrifted'
  | 'InstanceTypeNotFound'
  /** Ours: EC2 recommends it, and the NodePool wants that heeded. */
  | 'RebalanceRecommended'
  | Ec2Drift;

/** A type may be missing from the first answers about a node that was just made. */
const STALE_AFTER_MS = 3_600_000;
const NO_KEYS: ReadonlySet<string> = new Set();

/** Writes Drifted on every NodeClaim that has drifted, with the reason, and takes it off the others. */
export function driftedActions(snapshot: Snapshot): readonly Action[] {
  const around = surroundingsOf(snapshot);
  return around.claims
    .filter(({ meta }) => meta.deletedAt === undefined)
    .flatMap((claim) => takeSteps(claim, [driftedStep(claim, around)], around.now).actions);
}

/**
 * Marks a NodeClaim as drifted or takes the mark off. What cannot be told now, because EC2 or the
 * NodeClass did not say, leaves the mark as it is.
 *
 * Source: karpenter v1.14, nodeclaim/disruption/drift.go, Reconcile.
 */
function driftedStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const gone: ClaimStep = { conditions: [{ type: DRIFTED, gone: true }] };
  const pool = around.nodePools.get(claim.meta.labels[NODEPOOL] ?? '');
  if (!pool) return NO_STEP;
  if (!isTrue(claim.status.conditions, LAUNCHED)) return gone;
  const reason = driftReason(claim, pool, around);
  if (reason === 'unknown') return NO_STEP;
  return reason === undefined
    ? gone
    : { conditions: [{ type: DRIFTED, status: 'True', reason, message: reason }] };
}

/** The first way in which a NodeClaim differs from what its NodePool would make now. */
function driftReason(
  claim: NodeClaim,
  pool: NodePool,
  around: Surroundings,
): DriftReason | 'unknown' | undefined {
  const ofPool = poolDrift(claim, pool, around);
  if (ofPool !== undefined) return ofPool;
  const nodeClass = around.nodeClasses.get(claim.spec.nodeClassRef.name);
  if (!nodeClass) return undefined;
  const instance = around.instances?.get(instanceIdOf(claim.status.providerId) ?? '');
  const found = ec2Drift({
    claim,
    nodeClass,
    instanceTypes: around.snapshot.catalog.byNodeClass.get(nodeClass.meta.name) ?? [],
    ...(instance && { instance }),
  });
  if (typeof found === 'object') return 'unknown';
  if (found !== undefined || instance) return found;
  const told = conditionOf(claim.status.conditions, DRIFTED)?.reason ?? '';
  return TOLD_BY_INSTANCE.has(told) ? 'unknown' : undefined;
}

function poolDrift(
  claim: NodeClaim,
  pool: NodePool,
  around: Surroundings,
): DriftReason | undefined {
  if (hasStaticDrift(claim, pool)) return 'NodePoolDrifted';
  if (hasOtherRequirements(claim, pool)) return 'RequirementsDrifted';
  if (hasStaleType(claim, around)) return 'InstanceTypeNotFound';
  return isToBeRebalanced(claim, pool) ? 'RebalanceRecommended' : undefined;
}

/** What only the instance itself shows. */
const TOLD_BY_INSTANCE: ReadonlySet<string> = new Set([
  'SecurityGroupDrift',
  'SubnetDrift',
  'CapacityReservationDrift',
]);

/** Both must carry hash and version, and the versions must be equal, for their hashes to tell. */
function hasStaticDrift(claim: NodeClaim, pool: NodePool): boolean {
  const [ours, theirs] = [claim.meta.annotations, pool.meta.annotations];
  const version = ours[NODEPOOL_HASH_VERSION];
  if (version === undefined || version !== theirs[NODEPOOL_HASH_VERSION]) return false;
  const [made, wanted] = [ours[NODEPOOL_HASH], theirs[NODEPOOL_HASH]];
  return made !== undefined && wanted !== undefined && made !== wanted;
}

/** A label that is missing satisfies NotIn and DoesNotExist only. */
const hasOtherRequirements = ({ meta }: NodeClaim, { template }: NodePool): boolean =>
  !isCompatible(requirementsOfLabels(meta.labels), requirementsOf(template.requirements), NO_KEYS);

/** A recommendation counts as long as the NodePool says so. */
const isToBeRebalanced = (claim: NodeClaim, pool: NodePool): boolean =>
  claim.meta.annotations[REBALANCE_RECOMMENDED] !== undefined &&
  pool.meta.annotations[REBALANCE] === 'replace';

/**
 * Whether what a NodeClaim was bought as is not on sale any more, sold out or not. A node of a
 * reservation that ended may go on as on-demand. Nothing is concluded from an empty catalogue.
 *
 * Source: karpenter v1.14, nodeclaim/disruption/drift.go, instanceTypeNotFound.
 */
function hasStaleType(claim: NodeClaim, { snapshot, now }: Surroundings): boolean {
  if (now - claim.meta.createdAt < STALE_AFTER_MS) return false;
  const types = typesForClaim(snapshot.catalog, claim);
  if (types.length === 0) return false;
  const type = types.find(({ name }) => name === claim.meta.labels[INSTANCE_TYPE]);
  if (!type) return true;
  const kept = Object.entries(claim.meta.labels).filter(([key]) => !OF_PURCHASE.has(key));
  const labels = requirementsOfLabels(Object.fromEntries(kept));
  const bought = claim.meta.labels[CAPACITY_TYPE] ?? '';
  const accepted = bought === 'reserved' ? ['reserved', 'on-demand'] : [bought];
  return !type.offerings.some(
    ({ requirements, capacityType }) =>
      accepted.includes(capacityType) && agrees(labels, requirements),
  );
}

/** What is judged apart, or may change while the node lives. */
const OF_PURCHASE: ReadonlySet<string> = new Set([
  CAPACITY_TYPE,
  RESERVATION_ID,
  RESERVATION_TYPE,
  RESERVATION_INTERRUPTIBLE,
]);
