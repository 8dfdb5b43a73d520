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
  readonly tags: Readonly<Record<string, string>>;
}
