/** What the do-not-disrupt annotation of pods, Nodes and NodeClaims forbids, and until when. */
import { DO_NOT_DISRUPT } from '#lib/model/labels.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type EpochMs, parseDuration } from '#lib/model/time.ts';
import { isActive } from './pod-state.ts';

/**
 * What a pod's annotation asks for: `always` while the pod is active; `until` an instant;
 * `invalid` where it is neither `true` nor a positive duration, which protects nothing.
 */
export type Protection =
  | { readonly kind: 'none' }
  | { readonly kind: 'always' }
  | { readonly kind: 'until'; readonly instant: EpochMs }
  | { readonly kind: 'invalid'; readonly value: string };

/**
 * What the annotation of a pod asks for. A duration counts from the pod's start; before the pod
 * has started it protects as `always` does.
 *
 * Example: "30m" on a pod that started at 12:00 is { kind: 'until', instant: 12:30 }
 * Source: karpenter v1.14, utils/pod/scheduling.go, IsDisruptable and doNotDisruptDuration.
 */
export function protectionOf(pod: Pod): Protection {
  const { annotations } = pod.meta;
  const value = Object.hasOwn(annotations, DO_NOT_DISRUPT)
    ? annotations[DO_NOT_DISRUPT]
    : undefined;
  if (value === undefined) return { kind: 'none' };
  if (value === 'true') return { kind: 'always' };
  const durationMs = parseDuration(value);
  if (durationMs === undefined || durationMs <= 0) return { kind: 'invalid', value };
  if (pod.startedAt === undefined) return { kind: 'always' };
  return { kind: 'until', instant: pod.startedAt + durationMs };
}

/**
 * Until when a pod may not be disturbed: 'Never' ends where the annotation says `true`, undefined
 * where nothing forbids it now. Only active pods are protected.
 */
export function doNotDisruptUntil(pod: Pod, now: EpochMs): EpochMs | 'Never' | undefined {
  if (!isActive(pod)) return undefined;
  const protection = protectionOf(pod);
  switch (protection.kind) {
    case 'always':
      return 'Never';
    case 'until':
      return now < protection.instant ? protection.instant : undefined;
    case 'none':
    case 'invalid':
      return undefined;
  }
}

/** Whether a pod may not be disturbed now. */
export const isProtected = (pod: Pod, now: EpochMs): boolean =>
  doNotDisruptUntil(pod, now) !== undefined;

/** Whether a Node or a NodeClaim may not be disturbed: for them only the word `true` counts. */
export const isProtectedNode = ({ annotations }: ObjectMeta): boolean =>
  Object.hasOwn(annotations, DO_NOT_DISRUPT) && annotations[DO_NOT_DISRUPT] === 'true';
