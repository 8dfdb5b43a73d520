import type {
  CapacityReservation,
  DescribeCapacityReservationsCommandInput,
} from '@aws-sdk/client-ec2';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { CapacityReservationSelectorTerm } from '#lib/model/node-class.ts';
import type { FoundCapacityReservation } from '#lib/model/node-class-facts.ts';
import { awsErrorKind } from './errors.ts';
import { onceEach, tagFilters } from './network.ts';
import { everyPage } from './pages.ts';

type Query = Pick<DescribeCapacityReservationsCommandInput, 'CapacityReservationIds' | 'Filters'>;

/**
 * The active capacity reservations that any of these terms selects, once each, sorted by id. All
 * ids are asked for in one call; only where one of them is not there, each in its own. What EC2
 * describes in words that we do not know is left out.
 *
 * Source: karpenter AWS provider v1.14, providers/capacityreservation.
 */
export async function findCapacityReservations(
  call: AwsCall,
  terms: readonly CapacityReservationSelectorTerm[],
): Promise<readonly FoundCapacityReservation[]> {
  const ids = [...new Set(terms.flatMap(({ id }) => id ?? []))].sort(compareText);
  const others = terms.filter(({ id }) => id === undefined);
  const answers = await Promise.all([
    byIds(call, ids),
    ...others.map((term) => describe(call, { Filters: filtersOf(term) })),
  ]);
  return onceEach(answers.flat().flatMap(reservation));
}

async function byIds(
  call: AwsCall,
  ids: readonly string[],
): Promise<readonly CapacityReservation[]> {
  if (ids.length === 0) return [];
  try {
    return await describe(call, { CapacityReservationIds: [...ids] });
  } catch (error) {
    if (awsErrorKind(error) !== 'notFound') throw error;
    if (ids.length === 1) return [];
    return (await Promise.all(ids.map((id) => byIds(call, [id])))).flat();
  }
}

function filtersOf({ tags, ownerID, instanceMatchCriteria }: CapacityReservationSelectorTerm) {
  return [
    ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
    ...tagFilters(tags ?? {}),
  ];
}

/** EC2 takes no page size beside ids. Source: EC2 API, DescribeCapacityReservations, MaxResults. */
const describe = (
  call: AwsCall,
  { CapacityReservationIds, Filters = [] }: Query,
): Promise<readonly CapacityReservation[]> =>
  everyPage(
    ({ MaxResults, NextToken }) =>
      call('DescribeCapacityReservations', {
        Filters: [...Filters, { Name: 'state', Values: ['active'] }],
        ...(CapacityReservationIds === undefined ? { MaxResults } : { CapacityReservationIds }),
        ...(NextToken === undefined ? {} : { NextToken }),
      }),
    ({ CapacityReservations }) => CapacityReservations ?? [],
  );

function reservation(found: CapacityReservation): readonly FoundCapacityReservation[] {
  const { CapacityReservationId, InstanceType, AvailabilityZone, OwnerId } = found;
  const { InstanceMatchCriteria: criteria, ReservationType: type = 'default' } = found;
  if (!CapacityReservationId || !InstanceType || !AvailabilityZone || !OwnerId) return [];
  if (criteria !== 'open' && criteria !== 'targeted') return [];
  if (type !== 'default' && type !== 'capacity-block') return [];
  const end = found.EndDate?.getTime();
  return [
    {
      id: CapacityReservationId,
      instanceType: InstanceType,
      zone: AvailabilityZone,
      ownerId: OwnerId,
      instanceMatchCriteria: criteria,
      reservationType: type,
      interruptible: found.Interruptible ?? false,
      availableInstances: found.AvailableInstanceCount ?? 0,
      ...(end === undefined ? {} : { endsAt: end - (end % 1_000) }),
    },
  ];
}
