import type { EpochMs } from './time.ts';

/** What is announced of an instance. */
export type InterruptionKind =
  /** EC2 takes a spot instance back, two minutes after the warning. */
  | 'SpotInterruption'
  /** A spot instance is likelier than others to be taken back. */
  | 'RebalanceRecommendation'
  /** AWS will stop, reboot or retire the machine. */
  | 'ScheduledChange'
  /** It has done so, or will not. */
  | 'ScheduledChangeOver'
  /** EC2 takes the capacity of an interruptible reservation back. */
  | 'CapacityReservationInterruption'
  | 'InstanceStopping'
  | 'InstanceTerminated';

/** What EC2 or AWS Health announced for one instance. */
export interface Interruption {
  readonly kind: InterruptionKind;
  readonly instanceId: string;
  readonly announcedAt: EpochMs;
  /** Of a scheduled change: when it begins; absent where it was not said, so at any moment. */
  readonly startsAt?: EpochMs;
}
