import type { Instant } from '../clock.ts';
import { toTimestamp } from './timestamps.ts';
import type { NodeObject, PodObject, WireCondition } from './wire.ts';

/** The condition of a type, if there is one. */
export const findCondition = (
  conditions: readonly WireCondition[] | undefined,
  type: string,
): WireCondition | undefined => conditions?.find((condition) => condition.type === type);

/** `conditions` with one of them set; its transition time moves only when its status does. */
export function setCondition(
  conditions: readonly WireCondition[] | undefined,
  next: WireCondition,
  now: Instant,
): readonly WireCondition[] {
  const old = findCondition(conditions, next.type);
  const lastTransitionTime =
    old?.status === next.status && old.lastTransitionTime !== undefined
      ? old.lastTransitionTime
      : toTimestamp(now);
  const stamped = { ...next, lastTransitionTime };
  if (old === undefined) return [...(conditions ?? []), stamped];
  return (conditions ?? []).map((condition) => (condition === old ? stamped : condition));
}

/** Whether a pod's or a Node's Ready condition is True. */
export const isReady = ({ status }: PodObject | NodeObject): boolean =>
  findCondition(status.conditions, 'Ready')?.status === 'True';

/** Whether a pod has run to its end. */
export const isFinished = ({ status }: PodObject): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed';

/** Whether a pod is neither finished nor about to be deleted. */
export const isActive = (pod: PodObject): boolean =>
  !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
