import { CONSOLIDATABLE, INITIALIZED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue } from '#lib/model/conditions.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';
import type { Blocked, Candidate } from './candidates.ts';

/**
 * Why a node may not be consolidated yet, because its pods came or went within consolidateAfter, or it
 * came up then, or because nobody has looked at it since; undefined where it is marked Consolidatable.
 *
 * Source: karpenter v1.14, disruption/consolidation.go, ShouldDisrupt.
 */
export function unsettled({ claim, pool }: Candidate, now: EpochMs): Blocked | undefined {
  const { conditions, lastPodEventAt } = claim.status;
  if (isTrue(conditions, CONSOLIDATABLE)) return undefined;
  const { consolidateAfter } = pool.disruption;
  const since = lastPodEventAt ?? conditionOf(conditions, INITIALIZED)?.changedAt;
  const until =
    since === undefined || consolidateAfter === 'Never' ? undefined : since + consolidateAfter;
  const what = lastPodEventAt === undefined ? 'it came up' : 'its pods changed';
  const because =
    until !== undefined && until > now
      ? `${what} a short while ago: not before ${formatInstant(until)}`
      : 'its NodeClaim is not marked Consolidatable yet';
  return { by: 'consolidateAfter', because };
}
