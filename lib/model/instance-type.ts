import type { Requirements } from '#lib/constraints/requirements.ts';
import type { Resources } from '#lib/constraints/resources.ts';

/** How an instance is paid for. Source: karpenter v1.14, karpenter.sh/capacity-type. */
export type CapacityType = 'on-demand' | 'spot' | 'reserved';

/** One way to buy an instance type: where, how, at what price, and whether it can be had now. */
export interface Offering {
  readonly zone: string;
  readonly zoneId: string;
  readonly capacityType: CapacityType;
  readonly usdPerHour: number;
  readonly available: boolean;
  /** Zone, capacity type, and whatever else a node gets when it is bought this way. */
  readonly requirements: Requirements;
  readonly reservationId?: string;
  /** How many more instances the reservation can give besides those that are promised. */
  readonly reservationCapacity?: number;
  /** The price is what a NodeOverlay makes of EC2's. */
  readonly hasOverlaidPrice?: true;
}

/** What kubelet is told to keep back, by resource, as quantities. */
export interface KubeletReserves {
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
}

/**
 * A kind of machine. `requirements` are the labels its nodes carry: In one value (the label), In
 * several (settled at launch), DoesNotExist (never carried). `offerings` may include sold-out ones.
 */
export interface InstanceType {
  readonly name: string;
  readonly requirements: Requirements;
  readonly capacity: Resources;
  /** What kubelet, system and eviction threshold keep back. */
  readonly overhead: Resources;
  /** capacity − overhead, hugepages taken off memory; never negative. */
  readonly allocatable: Resources;
  /** What a NodeClass's expressions came to for this type; absent where it has none. */
  readonly reserves?: KubeletReserves;
  /** Some of its capacity is a NodeOverlay's. */
  readonly hasOverlaidCapacity?: true;
  /** Sorted by price, then zone, then capacity type. */
  readonly offerings: readonly Offering[];
}
