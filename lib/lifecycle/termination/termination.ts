import { isHeldByAnother } from '#lib/lifecycle/health/twins.ts';
import type { LaunchGroup } from '#lib/lifecycle/launch/launch-groups.ts';
import { mayLeave } from '#lib/lifecycle/launch/launch-groups.ts';
import { paced } from '#lib/lifecycle/pace.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import type { ClaimStep } from '#lib/lifecycle/step.ts';
import { isNodeUnread, isUnread, nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { NODECLASS, TERMINATION_FINALIZER, TERMINATION_TIMESTAMP } from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { isServed } from '#lib/model/node-pool.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { formatInstant } from '#lib/model/time.ts';
import { isInstanceGone } from './instance-gone.ts';
import { terminateStep } from './instance-termination.ts';
import { deadlineMessage, deadlineOf, nodeTerminationStep } from './node-termination.ts';

const LOOK_AGAIN_MS = 2_000;

/**
 * The next steps of a NodeClaim that is being deleted: its Nodes go down first, then its
 * instance, then its finalizer; the last only when the instance is certain to be gone, and, where
 * none is known, when none can be on its way.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/controller.go, finalize. There a NodeClaim without
 * a provider id is let go at once, and the leaked instance is collected later.
 */
export function terminationSteps(
  claim: NodeClaim,
  group: LaunchGroup | undefined,
  around: Surroundings,
): readonly ClaimStep[] {
  const deadline = deadlineStep(claim);
  // Its Node is the other's.
  if (isHeldByAnother(claim, around)) return [deadline, lastStep(claim, group, around)];
  // A Node that nobody has registered goes with its instance; nothing of ours holds it.
  const isRegistered = isTrue(claim.status.conditions, REGISTERED);
  const nodes = nodesOf(around, claim).flatMap((state) => {
    const isHeld = state.node?.meta.finalizers.includes(TERMINATION_FINALIZER) ?? false;
    return state.node && (isRegistered || isHeld) ? [{ state, node: state.node, claim }] : [];
  });
  if (nodes.length > 0) {
    return [deadline, ...nodes.map((leaving) => nodeTerminationStep(leaving, around))];
  }
  // An instance must not end under a Node that may still have pods to be asked.
  if (isNodeUnread(around, claim)) return [deadline];
  return [deadline, lastStep(claim, group, around)];
}

/** Writes once by when a node with a limited grace must be empty; a date that stands is kept. */
function deadlineStep(claim: NodeClaim): ClaimStep {
  const { deletedAt, annotations } = claim.meta;
  const { terminationGraceMs } = claim.spec;
  if (deletedAt === undefined || terminationGraceMs === undefined) return {};
  if (annotations[TERMINATION_TIMESTAMP] !== undefined) return {};
  const deadline = deletedAt + terminationGraceMs;
  return {
    meta: { annotations: { [TERMINATION_TIMESTAMP]: formatInstant(deadline) } },
    actions: [
      {
        kind: 'recordEvent',
        about: claimRef(claim),
        type: 'Warning',
        reason: 'TerminationGracePeriodExpiring',
        message: deadlineMessage(deadline),
      },
    ],
  };
}

function lastStep(
  claim: NodeClaim,
  group: LaunchGroup | undefined,
  around: Surroundings,
): ClaimStep {
  if (!claim.meta.finalizers.includes(TERMINATION_FINALIZER)) return {};
  const isOver =
    instanceIdOf(claim.status.providerId) === undefined ||
    isHeldByAnother(claim, around) ||
    isInstanceGone(claim, around);
  if (!isOver) return terminateStep(claim, around);
  if (!mayLeave(group, around)) {
    const stillMs = around.now - (claim.meta.deletedAt ?? around.now);
    return { lookAgainInMs: paced(LOOK_AGAIN_MS, stillMs) };
  }
  const finalizers = claim.meta.finalizers.filter((each) => each !== TERMINATION_FINALIZER);
  return { meta: { finalizers } };
}

/**
 * What Nodes ask for that somebody deletes by hand: their NodeClaims are deleted, too, and go the
 * way above; a Node that lost its NodeClaim is emptied and let go, its instance is not touched.
 *
 * Source: karpenter v1.14, node/termination/controller.go.
 */
export function deletedNodeSteps(around: Surroundings): readonly ClaimStep[] {
  return around.snapshot.nodes.flatMap((state) => {
    const { node, claim } = state;
    if (node?.meta.deletedAt === undefined) return [];
    if (claim) return isLeftBehind(claim) ? [deleteClaimOf(claim)] : [];
    return isOrphan(node, around) ? [nodeTerminationStep({ node, state }, around)] : [];
  });
}

/** Whether a NodeClaim of ours stays though its Node goes. */
const isLeftBehind = ({ meta, spec }: NodeClaim): boolean =>
  meta.deletedAt === undefined && isServed(spec.nodeClassRef);

/** Whether a Node of ours, finalizer and all, has no NodeClaim left to go with. */
const isOrphan = ({ meta, providerId }: Node, around: Surroundings): boolean =>
  meta.labels[NODECLASS] !== undefined &&
  meta.finalizers.includes(TERMINATION_FINALIZER) &&
  !around.holders.has(instanceIdOf(providerId) ?? '') &&
  !meta.owners.some(({ kind, name }) => isUnread(around, kind, name));

const deleteClaimOf = (claim: NodeClaim): ClaimStep => ({
  actions: [{ kind: 'delete', object: claimRef(claim), because: 'its Node is being deleted' }],
  lookAgainInMs: 1_000,
});

/** Announces the deadline on a Node that is being emptied. */
export function deadlineEvents(around: Surroundings): readonly Action[] {
  return around.snapshot.nodes.flatMap(({ node, claim }) => {
    const deadline = deadlineOf(claim);
    if (node?.meta.deletedAt === undefined || deadline === undefined) return [];
    return [
      {
        kind: 'recordEvent' as const,
        about: nodeRef(node),
        type: 'Warning' as const,
        reason: 'TerminationGracePeriodExpiring',
        message: deadlineMessage(deadline),
      },
    ];
  });
}
