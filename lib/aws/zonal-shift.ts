import type { AwsCall, AwsOperations } from '#lib/aws/calls/call.ts';
import type { ManagedResource, ZoneShift } from '#lib/ec2/offerings/zonal-shift.ts';

type Answer = AwsOperations['GetManagedResource']['output'];

/** What ARC says of the cluster with this ARN; throws what it refuses. */
export async function findManagedResource(
  call: AwsCall,
  clusterArn: string,
): Promise<ManagedResource> {
  const { zonalShifts, autoshifts } = await call('GetManagedResource', {
    resourceIdentifier: clusterArn,
  });
  return { zonalShifts: shiftsOf(zonalShifts), autoshifts: shiftsOf(autoshifts) };
}

const shiftsOf = (shifts: Answer['zonalShifts'] = []): readonly ZoneShift[] =>
  shifts.flatMap(({ appliedStatus, awayFrom, expiryTime }) =>
    awayFrom === undefined
      ? []
      : [
          {
            zoneId: awayFrom,
            isApplied: appliedStatus === 'APPLIED',
            ...(expiryTime !== undefined && { endsAt: expiryTime * 1_000 }),
          },
        ],
  );
