import { protectionOf } from '#lib/consent/do-not-disrupt.ts';
import { isActive } from '#lib/consent/pod-state.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import { DO_NOT_DISRUPT } from '#lib/model/labels.ts';
import { podRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';

/** Told once: a change that a look as seldom as once in two minutes would see. */
const NEWS_MS = 2 * 60_000;

/**
 * What owners of pods on nodes of ours are told about do-not-disrupt: that its value means nothing,
 * until when it holds, and that it holds no longer; the last two when that has just begun.
 *
 * Source: karpenter v1.14, disruption/events; there they are repeated every two minutes.
 */
export function protectionEvents({ nodes, takenAt }: Snapshot): readonly Action[] {
  return nodes
    .filter(({ claim }) => claim !== undefined)
    .flatMap(({ pods }) => pods.filter((pod) => asksForProtection(pod) && isActive(pod)))
    .sort(byNamespacedName)
    .flatMap((pod) => eventOf(pod, takenAt) ?? []);
}

/** Few do, of very many pods. */
const asksForProtection = ({ meta }: Pod): boolean =>
  Object.hasOwn(meta.annotations, DO_NOT_DISRUPT);

function eventOf(pod: Pod, now: EpochMs): Action | undefined {
  const protection = protectionOf(pod);
  const isNews = (since: EpochMs): boolean => now >= since && now - since < NEWS_MS;
  switch (protection.kind) {
    case 'none':
    case 'always':
      return undefined;
    case 'invalid':
      return tell(pod, {
        type: 'Warning',
        reason: 'InvalidDoNotDisruptAnnotation',
        message: `Invalid karpenter.sh/do-not-disrupt annotation: ${JSON.stringify(protection.value)} is neither "true" nor a positive duration such as "30m", ignoring annotation`,
      });
    case 'until': {
      const ends = formatInstant(protection.instant);
      if (isNews(protection.instant)) {
        return tell(pod, {
          type: 'Normal',
          reason: 'DoNotDisruptGracePeriodElapsed',
          message: `The karpenter.sh/do-not-disrupt grace period elapsed at ${ends}, the pod may be disrupted`,
        });
      }
      if (!isNews(pod.startedAt ?? now)) return undefined;
      return tell(pod, {
        type: 'Normal',
        reason: 'DoNotDisruptUntil',
        message: `The karpenter.sh/do-not-disrupt grace period will elapse at ${ends}`,
      });
    }
  }
}

const tell = (
  pod: Pod,
  event: Pick<Extract<Action, { kind: 'recordEvent' }>, 'type' | 'reason' | 'message'>,
): Action => ({ kind: 'recordEvent', about: podRef(pod), ...event });
