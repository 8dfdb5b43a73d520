import type { Resources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { NodeClaim } from './node-claim.ts';
import type { ObjectMeta } from './object.ts';
import type { Pod } from './pod.ts';
import type { EpochMs } from './time.ts';

/** A Node as its kubelet and the API server describe it. */
export interface Node {
  readonly meta: ObjectMeta;
  readonly providerId?: string;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** The Ready condition; absent until the kubelet has written one. */
  readonly ready?: Health;
  /** Of its other conditions those by which an ailing node is told; absent where there is none. */
  readonly health?: Readonly<Partial<Record<HealthCondition, Health>>>;
}

/** A condition of a Node, reduced to how it stands and since when. */
export interface Health {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly changedAt: EpochMs;
}

/**
 * Conditions that monitoring agents of EKS write to Nodes.
 *
 * Source: karpenter AWS provider v1.14, cloudprovider.go, RepairPolicies.
 */
export const HEALTH_CONDITIONS = [
  'AcceleratedHardwareReady',
  'ContainerRuntimeReady',
  'KernelReady',
  'NetworkingReady',
  'StorageReady',
] as const;

/** One of them. */
export type HealthCondition = (typeof HEALTH_CONDITIONS)[number];

/**
 * A Node and its NodeClaim as one thing, joined on the provider id; either half may be missing,
 * never both. `name` is the Node's, else the NodeClaim's. `pods` are bound to it, sorted by
 * namespace and name, finished ones included.
 */
export interface StateNode {
  readonly name: string;
  readonly node?: Node;
  readonly claim?: NodeClaim;
  readonly pods: readonly Pod[];
}
