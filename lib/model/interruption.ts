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
  /** EC2's checks of the machine that carries the instance have failed for a while. */
  | 'SystemImpaired'
  /** EC2's checks of the instance's own system have failed for a while. */
  | 'InstanceImpaired'
  /** EC2 says itself, asked how the instance is, what AWS Health announces as a ScheduledChange. */
  | 'ScheduledEvent'
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

/** What EC2 answered when it was asked how the cluster's instances are. */
export interface InstanceStatus {
  readonly askedAt: EpochMs;
  /** Of this cluster's instances, sorted by instance. */
  readonly interruptions: readonly Interruption[];
  /** How many ail now that did not when EC2 was asked before; to be counted, nothing follows. */
  readonly newlyAiling: Readonly<Partial<Record<InterruptionKind, number>>>;
}
