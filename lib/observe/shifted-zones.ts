import type { AwsCall } from '#lib/aws/calls/call.ts';
import { describeAwsError } from '#lib/aws/errors.ts';
import { findManagedResource } from '#lib/aws/zonal-shift.ts';
import { type ManagedResource, shiftedZonesOf } from '#lib/ec2/offerings/zonal-shift.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { LeftOut } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Source: karpenter AWS provider v1.14, controllers/zonalshift, every 30 seconds. */
const ASK_AGAIN_AFTER_MS = 30_000;

interface Asked {
  readonly at: EpochMs;
  readonly resource: ManagedResource;
}

// What a warm sandbox was told last. Losing it costs a call.
const lastAsked = new WeakMap<AwsCall, Asked>();

/**
 * The ids of the zones that traffic is shifted away from, where the settings say that the cluster
 * takes part in that. A warm sandbox asks every half minute; where it is not answered, what it was
 * told before counts on, and the problem stands in `leftOut`.
 */
export async function readShiftedZones(
  aws: AwsCall,
  { zonalShiftArn }: Pick<ClusterSettings, 'zonalShiftArn'>,
  now: EpochMs,
): Promise<{ readonly zoneIds: readonly string[]; readonly leftOut: readonly LeftOut[] }> {
  if (zonalShiftArn === undefined) return { zoneIds: [], leftOut: [] };
  const last = lastAsked.get(aws);
  if (last !== undefined && now - last.at < ASK_AGAIN_AFTER_MS) {
    return { zoneIds: shiftedZonesOf(last.resource, now), leftOut: [] };
  }
  try {
    const resource = await findManagedResource(aws, zonalShiftArn);
    lastAsked.set(aws, { at: now, resource });
    return { zoneIds: shiftedZonesOf(resource, now), leftOut: [] };
  } catch (error) {
    const object = { apiVersion: 'arc-zonal-shift', kind: 'the shifts of', name: zonalShiftArn };
    return {
      zoneIds: last === undefined ? [] : shiftedZonesOf(last.resource, now),
      leftOut: [{ object, field: 'GetManagedResource', problem: describeAwsError(error) }],
    };
  }
}
