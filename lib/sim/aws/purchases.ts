import type { Operations } from './account.ts';
import { awsError } from './error.ts';
import { type Fields, optionalTexts } from './request.ts';

/**
 * DescribeCapacityReservations and DescribePlacementGroups of an account that has bought no
 * capacity ahead and grouped nothing. Neither can be made here: a fleet that names one is refused.
 */
export function purchaseOperations(): Operations {
  return {
    DescribeCapacityReservations: (input) => noReservations(input),
    DescribePlacementGroups: (input) => noGroups(input),
  };
}

function noReservations(input: Fields): unknown {
  const [missing] = optionalTexts(input, 'CapacityReservationIds') ?? [];
  if (missing === undefined) return { CapacityReservations: [] };
  throw awsError(
    'InvalidCapacityReservationId.NotFound',
    `The Capacity Reservation with ID ${missing} does not exist.`,
  );
}

function noGroups(input: Fields): unknown {
  const [missing] = [
    ...(optionalTexts(input, 'GroupNames') ?? []),
    ...(optionalTexts(input, 'GroupIds') ?? []),
  ];
  if (missing === undefined) return { PlacementGroups: [] };
  throw awsError('InvalidPlacementGroup.Unknown', `The Placement Group '${missing}' is unknown.`);
}
