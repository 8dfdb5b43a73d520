import type { EpochMs } from './time.ts';

/** What EC2 or AWS Health announced for one instance. */
export interface Interruption {
  readonly kind:
    | 'SpotInterruption'
    | 'RebalanceRecommendation'
    | 'ScheduledChange'
    | 'InstanceStopping'
    | 'InstanceTerminated';
  readonly instanceId: string;
  readonly announcedAt: EpochMs;
}
