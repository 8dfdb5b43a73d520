import type { CapacityType } from './instance-type.ts';
import type { EpochMs } from './time.ts';

/** An offering that EC2 could not give, or takes back. */
export interface UnavailableOffering {
  readonly capacityType: CapacityType;
  readonly instanceType: string;
  readonly zone: string;
  /** The id of the placement group in which alone it is so; everywhere where absent. */
  readonly placementGroup?: string;
}

/** An offering that EC2 could not give, and until when it is not asked for again. */
export interface SoldOut extends UnavailableOffering {
  readonly until: EpochMs;
  /** How often in a row it was found so; once where absent. */
  readonly times?: number;
}
