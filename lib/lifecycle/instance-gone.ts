import { conditionOf } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { SIGHTING_MS } from './launch-groups.ts';
import { LAUNCHED } from './phase.ts';
import { instanceIdOf } from './provider-id.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Whether the instance of a NodeClaim has certainly ended: EC2 was asked, and says so or does not
 * list it any more. An instance that was launched a moment ago may not be listed yet.
 */
export function isInstanceGone(claim: NodeClaim, { instances, now }: Surroundings): boolean {
  const id = instanceIdOf(claim.status.providerId);
  if (instances === undefined || id === undefined) return false;
  const instance = instances.get(id);
  if (instance) return instance.state === 'terminated';
  return now - launchedBefore(claim, now) >= SIGHTING_MS;
}

/** An instant by which the instance existed: none is launched for a NodeClaim that is deleted. */
function launchedBefore({ meta, status }: NodeClaim, now: EpochMs): EpochMs {
  const launched = conditionOf(status.conditions, LAUNCHED);
  return launched?.status === 'True' ? launched.changedAt : (meta.deletedAt ?? now);
}
