import type { NodeClaim } from '#lib/model/node-claim.ts';
import { SIGHTING_MS } from './launch-groups.ts';
import { launchedAt } from './launched.ts';
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
  // None is launched for a NodeClaim once it is deleted, so by then the instance existed.
  const existedBy = launchedAt(claim) ?? claim.meta.deletedAt ?? now;
  return now - existedBy >= SIGHTING_MS;
}
