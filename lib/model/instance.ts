import type { CapacityType } from './instance-type.ts';
import type { EpochMs } from './time.ts';

/** An EC2 instance of this cluster, as DescribeInstances tells it. */
export interface Instance {
  readonly id: string;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly imageId: string;
  readonly launchedAt: EpochMs;
  /** Absent where EC2 did not say, as all that follows. */
  readonly subnetId?: string;
  /** Sorted. */
  readonly securityGroupIds?: readonly string[];
  readonly instanceProfile?: string;
  /** The reservation that it runs in, whether or not it was asked for. */
  readonly reservationId?: string;
  /** The number of its partition, in a placement group of partitions. */
  readonly partition?: number;
  readonly tags: Readonly<Record<string, string>>;
}
