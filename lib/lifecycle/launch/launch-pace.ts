import { THROTTLED } from '#lib/ec2/launch/fleet-errors.ts';
import { betweenLaunches } from '#lib/lifecycle/pace.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { launchedAt, launchFailedAt } from './launched.ts';

/**
 * From when on a launch may be tried, where AWS has said that it is asked too often and none has
 * succeeded since; undefined where all may go. Until one succeeds, one is tried at a time: an
 * account that is throttled sees fewer calls, whatever the number of NodeClaims that wait, and
 * those that were given up meanwhile still count.
 */
export function launchesPausedUntil({ claims }: Surroundings): EpochMs | undefined {
  const refused = claims.filter(isThrottled);
  const lastRefusal = latest(refused.flatMap((claim) => launchFailedAt(claim) ?? []));
  const lastSuccess = latest(claims.flatMap((claim) => launchedAt(claim) ?? []));
  if (lastRefusal === undefined || (lastSuccess ?? 0) >= lastRefusal) return undefined;
  const since = Math.min(...refused.map(({ meta }) => meta.createdAt));
  return lastRefusal + betweenLaunches(lastRefusal - since);
}

const isThrottled = ({ status }: NodeClaim): boolean =>
  status.providerId === undefined && conditionOf(status.conditions, LAUNCHED)?.reason === THROTTLED;

const latest = (instants: readonly EpochMs[]): EpochMs | undefined =>
  instants.length === 0 ? undefined : Math.max(...instants);
