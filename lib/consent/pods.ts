/**
 * Which pods may be placed, moved, evicted and waited for.
 *
 * Source: karpenter v1.14, utils/pod/scheduling.go.
 */
import { tolerates } from '#lib/constraints/taints.ts';
import { DISRUPTED } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { isProtected } from './do-not-disrupt.ts';
import { pdbVerdict } from './pdb-verdict.ts';
import {
  isActive,
  isDaemon,
  isMirror,
  isOfStatefulSet,
  isTerminal,
  isTerminating,
} from './pod-state.ts';

/** The taint that a node gets before its pods are asked to go. */
const DISRUPTED_TAINT = { key: DISRUPTED, value: '', effect: 'NoSchedule' } as const;

/** Past this a pod that should have gone is taken for one that never will. */
const STUCK_AFTER_MS = 60_000;

/** Whether a pod means to stay on a node that is being emptied. */
const toleratesDisruption = ({ tolerations }: Pod): boolean =>
  tolerates(DISRUPTED_TAINT, tolerations);

/**
 * Whether a pod waits for a node that Joinery may make: the scheduler has found it unschedulable,
 * and it is neither bound, nor about to preempt its way onto a node, nor tied to a node by its
 * owner. Where `liveNodes` is given, a nomination counts only while it names one of those.
 */
export function isProvisionable(pod: Pod, liveNodes?: ReadonlySet<string>): boolean {
  if (pod.scheduled?.reason !== 'Unschedulable') return false;
  if (pod.nodeName !== undefined && pod.nodeName !== '') return false;
  const nominated = pod.nominatedNodeName ?? '';
  if (nominated !== '' && (liveNodes === undefined || liveNodes.has(nominated))) return false;
  return !isDaemon(pod) && !isMirror(pod);
}

const DEFAULT_SCHEDULER = 'default-scheduler';

/** Whether kube-scheduler itself is to place a pod, and none of its kind. */
export const isForDefaultScheduler = ({ schedulerName }: Pod): boolean =>
  schedulerName === DEFAULT_SCHEDULER;

/** Whether a pod waits for kube-scheduler's first word; one that is gated has had it. */
export const isUntried = (pod: Pod): boolean =>
  pod.scheduled === undefined &&
  (pod.nodeName ?? '') === '' &&
  (pod.nominatedNodeName ?? '') === '' &&
  pod.phase === 'Pending' &&
  isActive(pod) &&
  isForDefaultScheduler(pod) &&
  !isDaemon(pod) &&
  !isMirror(pod);

/** Whether a pod will need another node when its own goes. */
export const isReschedulable = (pod: Pod): boolean =>
  (isActive(pod) || (isOfStatefulSet(pod) && isTerminating(pod))) &&
  !isDaemon(pod) &&
  !isMirror(pod);

/** Whether nothing on the pod itself forbids that it is disturbed now. */
const isDisruptable = (pod: Pod, now: EpochMs): boolean => !isProtected(pod, now);

/** Whether a pod may be asked to go now, budgets aside. */
export const isEvictable = (pod: Pod, now: EpochMs): boolean =>
  isActive(pod) && !toleratesDisruption(pod) && !isMirror(pod) && !isProtected(pod, now);

/** Whether a pod was to be gone, its grace included, more than a minute ago. */
export const isStuckTerminating = ({ meta }: Pod, now: EpochMs): boolean =>
  meta.deletedAt !== undefined && now > meta.deletedAt + STUCK_AFTER_MS;

/** Whether a pod is one that the emptying of its node is about. */
export const isDrainable = (pod: Pod, now: EpochMs): boolean =>
  !toleratesDisruption(pod) && !isMirror(pod) && !isStuckTerminating(pod, now);

/** Whether the emptying of a node has to wait for a pod. */
export const isWaitingEviction = (pod: Pod, now: EpochMs): boolean =>
  !isTerminal(pod) && isDrainable(pod, now);

/**
 * Whether a pod can be counted on to move when its node goes: it needs another node, and neither
 * itself nor a budget that never yields holds it where it is. A budget that is only exhausted for
 * the moment does not count.
 */
export const isReschedulableNow = (
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  now: EpochMs,
): boolean =>
  isReschedulable(pod) &&
  isDisruptable(pod, now) &&
  (!isEvictable(pod, now) || pdbVerdict(pod, budgets).kind !== 'never');
