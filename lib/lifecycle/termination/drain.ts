import { isProtected } from '#lib/consent/do-not-disrupt.ts';
import { isActive, isCritical, isDaemon } from '#lib/consent/pod-state.ts';
import { isWaitingEviction } from '#lib/consent/pods.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import { paced } from '#lib/lifecycle/pace.ts';
import type { Node } from '#lib/model/node.ts';
import { nodeRef, podRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** A node to be emptied: whose pods, why, and by when at the latest. */
export interface DrainOrder {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Upstream's word for why the node goes; it ends up in each pod's Evicted event. */
  readonly because: string;
  /** From then on nothing is asked for consent. */
  readonly deadline?: EpochMs;
  readonly now: EpochMs;
}

/** What one look at a node that is being emptied comes to. */
export interface Drain {
  readonly actions: readonly Action[];
  /** How many pods still have to go. */
  readonly waiting: number;
  /** After how long to look again; absent where nothing is waited for. */
  readonly lookAgainInMs?: number;
}

const LOOK_AGAIN_MS = 2_000;

/**
 * One round of emptying a node: one attempt to evict each pod of the lowest tier that still has
 * pods, and the deletion of those that the deadline leaves no more time. The next tier's turn
 * comes when the one before has fully gone. The API server's refusal (429) means: not now, the
 * next look asks again.
 *
 * Source: karpenter v1.14, node/termination/terminator/terminator.go, Drain.
 */
export function drain(order: DrainOrder): Drain {
  const { node, pods, because, deadline, now } = order;
  const waiting = pods.filter((pod) => isWaitingEviction(pod, now)).sort(byNamespacedName);
  const forced = waiting.filter((pod) => mustBeForced(pod, deadline, now));
  const others = waiting.filter((pod) => !forced.includes(pod));
  const tier = Math.min(...others.map(tierOf));
  const evictable = others.filter(
    (pod) => tierOf(pod) === tier && isActive(pod) && !isProtected(pod, now),
  );
  return {
    actions: [
      ...forced.map((pod) => forceDelete(pod, deadline ?? now, now)),
      ...evictable.map((pod) => ({
        kind: 'evict' as const,
        pod: podRef(pod),
        node: nodeRef(node),
        because,
      })),
    ],
    waiting: waiting.length,
    ...(waiting.length === 0 ? {} : { lookAgainInMs: nextLook(waiting, order) }),
  };
}

/**
 * Less and less often while nothing moves; sooner where a pod's grace ends, or where its consent
 * need not be asked any more.
 */
function nextLook(waiting: readonly Pod[], { node, deadline, now }: DrainOrder): number {
  const turns = waiting.flatMap((pod) => turningPoints(pod, deadline));
  const past = [node.meta.deletedAt ?? now, ...turns].filter((at) => at <= now);
  const ahead = turns.filter((at) => at > now);
  return Math.max(
    LOOK_AGAIN_MS,
    Math.min(paced(LOOK_AGAIN_MS, now - Math.max(...past)), ...ahead.map((at) => at - now)),
  );
}

/** When a pod was asked to go and will have gone, or else when it will be made to. */
function turningPoints(pod: Pod, deadline: EpochMs | undefined): readonly EpochMs[] {
  const { deletedAt } = pod.meta;
  const graceMs = pod.graceSeconds * 1_000;
  if (deletedAt !== undefined) return [deletedAt - graceMs, deletedAt];
  return deadline === undefined ? [] : [deadline - graceMs + 1];
}

/** Plain pods go first, then DaemonSets', then critical ones, then critical DaemonSets'. */
const tierOf = (pod: Pod): number => Number(isCritical(pod)) * 2 + Number(isDaemon(pod));

/**
 * Whether a pod can be given its grace no longer than it is asked to go now; or has been asked,
 * with more grace than there is time.
 */
function mustBeForced(pod: Pod, deadline: EpochMs | undefined, now: EpochMs): boolean {
  if (deadline === undefined) return false;
  const { deletedAt } = pod.meta;
  if (deletedAt !== undefined) return deletedAt > deadline && deletedAt > now + 1_000;
  return now > deadline - pod.graceSeconds * 1_000;
}

function forceDelete(pod: Pod, deadline: EpochMs, now: EpochMs): Action {
  const graceSeconds = Math.max(1, Math.floor((deadline - now) / 1_000));
  return {
    kind: 'forceDelete',
    pod: podRef(pod),
    graceSeconds,
    because: `the node must be empty, the pod gets ${graceSeconds} of its ${pod.graceSeconds} seconds of grace; PodDisruptionBudgets and do-not-disrupt are not asked`,
  };
}
