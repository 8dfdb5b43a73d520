import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { zoneOf } from '#lib/lifecycle/provider-id.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { deadlineOf } from '#lib/lifecycle/termination/node-termination.ts';
import { NODEPOOL, TERMINATION_TIMESTAMP } from '#lib/model/labels.ts';
import type { Health, HealthCondition, Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { isOpen } from '#lib/model/settings.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';

interface RepairPolicy {
  readonly condition: 'Ready' | HealthCondition;
  readonly ailing: Health['status'];
  readonly toleratedMs: number;
}

const MINUTE_MS = 60_000;

/** Source: karpenter AWS provider v1.14, cloudprovider.go, RepairPolicies. */
const POLICIES: readonly RepairPolicy[] = [
  { condition: 'Ready', ailing: 'False', toleratedMs: 30 * MINUTE_MS },
  { condition: 'Ready', ailing: 'Unknown', toleratedMs: 30 * MINUTE_MS },
  { condition: 'AcceleratedHardwareReady', ailing: 'False', toleratedMs: 10 * MINUTE_MS },
  { condition: 'StorageReady', ailing: 'False', toleratedMs: 30 * MINUTE_MS },
  { condition: 'NetworkingReady', ailing: 'False', toleratedMs: 30 * MINUTE_MS },
  { condition: 'KernelReady', ailing: 'False', toleratedMs: 30 * MINUTE_MS },
  { condition: 'ContainerRuntimeReady', ailing: 'False', toleratedMs: 30 * MINUTE_MS },
];

/** Where more of a pool's nodes ail, the nodes are not at fault. Source: karpenter v1.14, node/health. */
const MOST_AILING = 0.2;

/**
 * Replaces a node that has been ailing for longer than is tolerated, where the gate NodeRepair is
 * open: its NodeClaim's grace ends now, and at the next look it is deleted, so that its pods are
 * not asked. As long as more than a fifth of the pool's nodes ail nothing is done. A node that
 * recovers in between gets its grace back.
 *
 * Source: karpenter v1.14, node/health/controller.go.
 */
export function repairStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  if (!isOpen(around.snapshot.settings, 'NodeRepair')) return NO_STEP;
  const node = nodesOf(around, claim)[0]?.node;
  if (!node || node.meta.deletedAt !== undefined) return NO_STEP;
  const dueAt = repairDueAt(node);
  const deadline = deadlineOf(claim);
  if (dueAt === undefined) {
    return deadline === undefined ? NO_STEP : graceUntil(null);
  }
  const { now } = around;
  // What fails there fails for the zone's sake, and could not be ended before the shift is over.
  if (around.shiftedZones.has(zoneOf(claim.status.providerId) ?? '')) return NO_STEP;
  if (now < dueAt) return { lookAgainInMs: dueAt - now };
  if (isEpidemic(claim, around)) return { actions: [blocked(node)] };
  return deadline !== undefined && deadline <= now
    ? { actions: [deletion(claim, 'unhealthy')], lookAgainInMs: 1_000 }
    : graceUntil(formatInstant(now));
}

const graceUntil = (instant: string | null): ClaimStep => ({
  meta: { annotations: { [TERMINATION_TIMESTAMP]: instant } },
  lookAgainInMs: 1_000,
});

/** Since when what ails a Node is tolerated no longer; undefined where nothing ails it. */
function repairDueAt(node: Node): EpochMs | undefined {
  const due = POLICIES.flatMap(({ condition, ailing, toleratedMs }) => {
    const health = condition === 'Ready' ? node.ready : node.health?.[condition];
    return health?.status === ailing ? [health.changedAt + toleratedMs] : [];
  });
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Whether so many nodes of its pool, or of the cluster, ail that repair would make it worse. */
function isEpidemic({ meta }: NodeClaim, { snapshot }: Surroundings): boolean {
  const pool = meta.labels[NODEPOOL];
  const nodes = snapshot.nodes
    .flatMap(({ node }) => node ?? [])
    .filter((node) => pool === undefined || node.meta.labels[NODEPOOL] === pool);
  const ailing = nodes.filter((node) => repairDueAt(node) !== undefined);
  return ailing.length > Math.ceil(nodes.length * MOST_AILING);
}

const blocked = (node: Node): Action => ({
  kind: 'recordEvent',
  about: nodeRef(node),
  type: 'Warning',
  reason: 'NodeRepairBlocked',
  message: 'more than 20% nodes are unhealthy in the nodepool',
});
