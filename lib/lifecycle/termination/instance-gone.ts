import { SIGHTING_MS } from '#lib/lifecycle/launch/launch-groups.ts';
import { launchedAt } from '#lib/lifecycle/launch/launched.ts';
import { instanceIdOf, zoneOf } from '#lib/lifecycle/provider-id.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { EpochMs } from '#lib/model/time.ts';

/**
 * Whether the instance of a NodeClaim has certainly ended: EC2 was asked, and says so or does not
 * list it any more. An instance that was launched a moment ago may not be listed yet.
 */
export function isInstanceGone(claim: NodeClaim, around: Surroundings): boolean {
  // None is launched for a NodeClaim once it is deleted, so by then the instance existed.
  const existedBy = launchedAt(claim) ?? claim.meta.deletedAt ?? around.now;
  return isGone(claim.status.providerId, existedBy, around);
}

/** The same of the machine behind a Node, which existed when its kubelet registered it. */
export const isMachineGone = ({ meta, providerId }: Node, around: Surroundings): boolean =>
  isGone(providerId, meta.createdAt, around);

function isGone(
  providerId: string | undefined,
  existedBy: EpochMs,
  { instances, now, shiftedZones }: Surroundings,
): boolean {
  const id = instanceIdOf(providerId);
  if (instances === undefined || id === undefined) return false;
  const instance = instances.get(id);
  if (instance) return instance.state === 'terminated';
  // EC2 may not list what stands in a zone that has trouble.
  if (shiftedZones.has(zoneOf(providerId) ?? '')) return false;
  return now - existedBy >= SIGHTING_MS;
}
