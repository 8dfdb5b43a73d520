import type { CapacityType } from './instance-type.ts';
import type { EpochMs } from './time.ts';

/** An offering that EC2 could not give, and until when it is not asked for again. */
export interface SoldOut {
  readonly capacityType: CapacityType;
  readonly instanceType: string;
  readonly zone: string;
  readonly until: EpochMs;
  /** How often in a row it was found so; once where absent. */
  readonly times?: number;
}
