import { paced } from '#lib/lifecycle/pace.ts';
import type { ClaimStep, ConditionEdit } from '#lib/lifecycle/step.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { DISRUPTION_REASON, DRAINED, VOLUMES_DETACHED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import {
  DISRUPTED,
  EXCLUDE_BALANCERS,
  TERMINATION_FINALIZER,
  TERMINATION_TIMESTAMP,
} from '#lib/model/labels.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { drain } from './drain.ts';
import { isInstanceGone, isMachineGone } from './instance-gone.ts';
import { terminateStep } from './instance-termination.ts';
import { attachmentsToWaitFor } from './volumes.ts';

/** Source: karpenter v1.14, node/termination/controller.go, minDrainTime. */
const MIN_DRAIN_MS = 5_000;
const LOOK_AGAIN_MS = 2_000;
/** What upstream calls a deletion that no disruption asked for. */
const NO_DISRUPTION = 'Forceful Termination';
const BALANCERS_VALUE = 'karpenter';

/** A Node that is to go, with its pods and, unless it was lost, its NodeClaim. */
export interface Leaving {
  readonly node: Node;
  readonly state: StateNode;
  readonly claim?: NodeClaim;
}

/**
 * The next step in taking a Node down: fenced off, deleted, emptied, its volumes detached, its
 * instance ended, its finalizer removed. Each look does what the state it sees allows and no
 * more, so it does not matter where the one before was cut off. What concerns the NodeClaim's own
 * object comes back as a step of it.
 *
 * Source: karpenter v1.14, node/termination/controller.go, finalize. There the Node is deleted
 * before it is tainted; here a node is never seen to go that may still be given pods.
 */
export function nodeTerminationStep(leaving: Leaving, around: Surroundings): ClaimStep {
  const { node, claim } = leaving;
  const fence = isFenced(node) ? [] : [fenceOff(node)];
  if (node.meta.deletedAt === undefined) {
    const deletion: Action = {
      kind: 'delete',
      object: nodeRef(node),
      because: 'its NodeClaim is being deleted',
    };
    return { actions: fence.length > 0 ? fence : [deletion], lookAgainInMs: 1_000 };
  }
  if (!node.meta.finalizers.includes(TERMINATION_FINALIZER)) {
    return { lookAgainInMs: paced(LOOK_AGAIN_MS, around.now - node.meta.deletedAt) };
  }
  const isGone = claim ? isInstanceGone(claim, around) : isMachineGone(node, around);
  if (node.ready?.status !== 'True' && isGone) {
    return { actions: [release(node)], lookAgainInMs: 1_000 };
  }
  const rest = emptyAndEnd(leaving, around);
  return { ...rest, actions: [...fence, ...(rest.actions ?? [])] };
}

function emptyAndEnd(leaving: Leaving, around: Surroundings): ClaimStep {
  const emptied = emptyStep(leaving, around);
  if (!emptied.done) return emptied.step;
  const detached = detachStep(leaving, around);
  const conditions = [...(emptied.step.conditions ?? []), ...(detached.step.conditions ?? [])];
  if (!detached.done) return { ...detached.step, conditions };
  const { node, claim } = leaving;
  if (!claim || isInstanceGone(claim, around)) {
    return { conditions, actions: [release(node)], lookAgainInMs: 1_000 };
  }
  const ended = terminateStep(claim, around);
  return { ...ended, conditions: [...conditions, ...(ended.conditions ?? [])] };
}

interface Stage {
  readonly done: boolean;
  readonly step: ClaimStep;
}

/** Pods off; then, with a NodeClaim, a few seconds more in which a late pod would show. */
function emptyStep({ node, state, claim }: Leaving, { now }: Surroundings): Stage {
  const deadline = deadlineOf(claim);
  const {
    actions,
    waiting,
    lookAgainInMs = LOOK_AGAIN_MS,
  } = drain({
    node,
    pods: state.pods,
    because: reasonOf(claim),
    now,
    ...(deadline === undefined ? {} : { deadline }),
  });
  const drained = conditionOf(claim?.status.conditions ?? [], DRAINED);
  if (waiting > 0) {
    const text = `Failed to drain node, ${waiting} pods are waiting to be evicted`;
    const told = [...actions, event(node, 'Warning', 'FailedDraining', text)];
    const conditions = drained?.status === 'True' ? [] : [draining];
    return { done: false, step: { actions: told, conditions, lookAgainInMs } };
  }
  if (!claim || drained?.status === 'True') return { done: true, step: {} };
  const left = drained ? drained.changedAt + MIN_DRAIN_MS - now : MIN_DRAIN_MS;
  if (left > 0) return { done: false, step: { conditions: [draining], lookAgainInMs: left } };
  return { done: true, step: { conditions: [{ type: DRAINED, status: 'True' }] } };
}

const draining: ConditionEdit = {
  type: DRAINED,
  status: 'Unknown',
  reason: 'Draining',
  message: 'Draining',
};

function detachStep({ node, state, claim }: Leaving, around: Surroundings): Stage {
  const names = attachmentsToWaitFor(state, around.snapshot);
  if (names.length === 0) {
    return { done: true, step: { conditions: [{ type: VOLUMES_DETACHED, status: 'True' }] } };
  }
  const leftMs = (deadlineOf(claim) ?? Number.POSITIVE_INFINITY) - around.now;
  if (leftMs <= 0) {
    const reason = 'TerminationGracePeriodElapsed';
    const condition = { type: VOLUMES_DETACHED, status: 'False', reason, message: reason } as const;
    return { done: true, step: { conditions: [condition] } };
  }
  const listed = [...names.slice(0, 5), ...(names.length > 5 ? ['...'] : [])].join(', ');
  const text = `Awaiting deletion of bound volumeattachments (${listed})`;
  const reason = 'AwaitingVolumeDetachment';
  const waiting = conditionOf(claim?.status.conditions ?? [], VOLUMES_DETACHED);
  const stillMs = around.now - (waiting?.changedAt ?? node.meta.deletedAt ?? around.now);
  return {
    done: false,
    step: {
      conditions: [{ type: VOLUMES_DETACHED, status: 'Unknown', reason, message: reason }],
      actions: [event(node, 'Normal', reason, text)],
      lookAgainInMs: Math.min(paced(LOOK_AGAIN_MS, stillMs), leftMs),
    },
  };
}

/** Why the node goes, in the words that its pods' events will bear. */
function reasonOf(claim: NodeClaim | undefined): string {
  const conditions = claim?.status.conditions ?? [];
  const disruption = conditionOf(conditions, DISRUPTION_REASON);
  return disruption && isTrue(conditions, DISRUPTION_REASON) ? disruption.reason : NO_DISRUPTION;
}

/** When the node's pods must have gone, if that is limited. */
export const deadlineOf = (claim: NodeClaim | undefined): EpochMs | undefined =>
  parseInstant(claim?.meta.annotations[TERMINATION_TIMESTAMP] ?? '');

/** Warns of a deadline in upstream's words. */
export const deadlineMessage = (deadline: EpochMs): string =>
  `All pods will be deleted by ${formatInstant(deadline)}`;

const isFenced = ({ meta, taints }: Node): boolean =>
  meta.labels[EXCLUDE_BALANCERS] === BALANCERS_VALUE &&
  taints.some(({ key, effect }) => key === DISRUPTED && effect === 'NoSchedule');

/** No new pods, no new connections. */
const fenceOff = (node: Node): Action => ({
  kind: 'update',
  object: nodeRef(node),
  meta: { labels: { [EXCLUDE_BALANCERS]: BALANCERS_VALUE } },
  taints: [
    ...node.taints.filter(({ key }) => key !== DISRUPTED),
    { key: DISRUPTED, value: '', effect: 'NoSchedule' },
  ],
});

const release = (node: Node): Action => ({
  kind: 'update',
  object: nodeRef(node),
  meta: { finalizers: node.meta.finalizers.filter((each) => each !== TERMINATION_FINALIZER) },
});

const event = (
  node: Node,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Action => ({ kind: 'recordEvent', about: nodeRef(node), type, reason, message });
