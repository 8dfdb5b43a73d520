import { compareText } from '#lib/constraints/order.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What ARC says of a cluster that it manages: shifts that people began, and those of its own. */
export interface ManagedResource {
  readonly zonalShifts: readonly ZoneShift[];
  readonly autoshifts: readonly ZoneShift[];
}

/** One shift of traffic out of a zone. */
export interface ZoneShift {
  readonly zoneId: string;
  readonly isApplied: boolean;
  /** Absent: it ends when somebody ends it. */
  readonly endsAt?: EpochMs;
}

/**
 * The ids of the zones that traffic is shifted away from at `now`, once each, sorted. Shifts that
 * AWS began by itself count like those of people, which upstream overlooks.
 *
 * Source: karpenter AWS provider v1.14, providers/zonalshift; ARC API, GetManagedResource.
 */
export const shiftedZonesOf = (
  { zonalShifts, autoshifts }: ManagedResource,
  now: EpochMs,
): readonly string[] =>
  [
    ...new Set(
      [...zonalShifts, ...autoshifts]
        .filter(({ isApplied, endsAt = Number.POSITIVE_INFINITY }) => isApplied && endsAt > now)
        .map(({ zoneId }) => zoneId),
    ),
  ].sort(compareText);
