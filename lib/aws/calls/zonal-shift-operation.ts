import type { ClientSettings, Sender } from '#lib/aws/place.ts';
import { signedRequests } from './signed-request.ts';

/** The operation of ARC zonal shift that Joinery uses, with the part of its answer that it reads. */
export interface ZonalShiftOperations {
  readonly GetManagedResource: {
    readonly input: { readonly resourceIdentifier: string };
    readonly output: {
      readonly zonalShifts?: readonly DescribedShift[];
      readonly autoshifts?: readonly DescribedShift[];
    };
  };
}

interface DescribedShift {
  readonly appliedStatus?: string;
  readonly awayFrom?: string;
  /** Seconds since 1970. */
  readonly expiryTime?: number;
}

/**
 * GetManagedResource as one signed request.
 *
 * Source: ARC Zonal Shift API, GetManagedResource.
 */
export function zonalShiftSenders(place: ClientSettings) {
  const send = signedRequests(place, 'arc-zonal-shift');
  return {
    GetManagedResource: async (input) => {
      const { resourceIdentifier } = Object(input);
      const path = `/managedresources/${encodeURIComponent(String(resourceIdentifier))}`;
      return await send({ method: 'GET', path });
    },
  } satisfies Readonly<Record<keyof ZonalShiftOperations, Sender>>;
}
