import { compareText } from '#lib/constraints/order.ts';
import type {
  ResolvedCapacityReservation,
  ResolvedPlacementGroup,
  ResolvedSubnet,
} from '#lib/model/node-class.ts';
import { formatInstant } from '#lib/model/time.ts';

/** What the joinery.dev/resolved annotation says of itself; its reader takes this version only. */
const VERSION = 1;

/**
 * What a NodeClass resolved to and its status has no field for, as the text of an annotation: free
 * addresses by subnet, instances left by reservation and as of when, the placement group. Sorted, so that the
 * same facts give the same text.
 */
export const resolvedAnnotation = (resolved: {
  readonly subnets: readonly ResolvedSubnet[];
  readonly capacityReservations: readonly ResolvedCapacityReservation[];
  readonly placementGroup?: ResolvedPlacementGroup;
}): string =>
  JSON.stringify({
    version: VERSION,
    freeAddresses: numbersById(
      resolved.subnets.map(({ id, freeAddresses }) => [id, freeAddresses]),
    ),
    availableInstances: numbersById(
      resolved.capacityReservations.map(({ id, availableInstances }) => [id, availableInstances]),
    ),
    ...countedAt(resolved.capacityReservations),
    ...(resolved.placementGroup && { placementGroup: resolved.placementGroup }),
  });

/** All reservations of a NodeClass are counted at once. */
function countedAt(reservations: readonly ResolvedCapacityReservation[]): { countedAt?: string } {
  const instants = reservations.flatMap((each) => each.countedAt ?? []);
  return instants.length === 0 ? {} : { countedAt: formatInstant(Math.min(...instants)) };
}

const numbersById = (
  numbers: readonly (readonly [id: string, amount: number | undefined])[],
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    numbers
      .flatMap(([id, amount]) => (amount === undefined ? [] : [[id, amount] as const]))
      .sort(([a], [b]) => compareText(a, b)),
  );
