import type { Instant } from './clock.ts';

/** What the embedded EC2 knows of an instance type: raw facts, as EC2 describes them. */
export interface MachineType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly architecture: 'x86_64' | 'arm64';
  readonly interfaces: number;
  readonly addressesPerInterface: number;
  readonly gpus: { readonly manufacturer: string; readonly count: number } | undefined;
  /** All its disks together, in 10^9 bytes as EC2 counts; absent where it has none. */
  readonly instanceStorageGb?: number;
  /** USD an hour by zone; a zone that is absent does not sell it that way. */
  readonly onDemandUsd: Readonly<Record<string, number>>;
  readonly spotUsd: Readonly<Record<string, number>>;
  /** What DescribeInstanceTypes says of it; made up from the rest where absent. */
  readonly described?: unknown;
}

/** An instance of the embedded EC2, as the kubelet that boots on it sees it. */
export interface Machine {
  readonly id: string;
  readonly type: MachineType;
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot';
  readonly privateDnsName: string;
  readonly privateIp: string;
  /** Decoded, as the instance reads it. */
  readonly userData: string;
  readonly launchedAt: Instant;
  /** Size of its root volume; 20 where nobody said. */
  readonly rootVolumeGib?: number;
  /** Size of its instance storage, all disks together, in 10^9 bytes as EC2 counts. */
  readonly instanceStorageGb?: number;
  state: 'pending' | 'running' | 'shutting-down' | 'terminated';
}

/** How the embedded EC2 tells kubelets (and the cloud controller) what became of machines. */
export interface MachineListener {
  readonly started: (machine: Machine) => void;
  readonly stopping: (machine: Machine) => void;
  readonly gone: (machine: Machine) => void;
}
