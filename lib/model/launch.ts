import type { CapacityType } from './instance-type.ts';
import type { ObjectRef } from './object.ts';
import type { EpochMs } from './time.ts';

/** JSON that is sent as it is. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A launch template, named by the hash of what it holds, so that making it twice makes it once. */
export interface LaunchTemplate {
  readonly name: string;
  /** The CreateLaunchTemplate request's LaunchTemplateData. */
  readonly data: Json;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * One CreateFleet call that asks for as many instances as there are claims. The client token is
 * fixed by the claims' uids and the attempt, so a repeated call yields the same instances.
 */
export interface Launch {
  /** Also the value of the joinery.dev/launch-group tag on every instance it yields. */
  readonly group: string;
  /** Sorted by name: instances, sorted by id, are handed out in this order. */
  readonly claims: readonly ObjectRef[];
  readonly clientToken: string;
  /** What all its instances are bought as. */
  readonly capacityType: CapacityType;
  /** The id of the placement group that its instances stand in. */
  readonly placementGroup?: string;
  /** How many addresses its instances and their pods may take, by subnet. */
  readonly addresses: Readonly<Record<string, number>>;
  readonly launchTemplates: readonly LaunchTemplate[];
  /**
   * Names of templates that the launch can do without where they are not there yet, and with them
   * their options. At most one of them is made, where no other had to be.
   */
  readonly dispensable: readonly string[];
  /** The CreateFleet request but for ClientToken. */
  readonly request: Json;
}

/** A launch template of the cluster, as DescribeLaunchTemplates tells it. */
export interface FoundLaunchTemplate {
  readonly id: string;
  readonly name: string;
  readonly createdAt: EpochMs;
}

/** An instance that a CreateFleet call yielded. */
export interface LaunchedInstance {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly capacityType: CapacityType;
  readonly imageId: string;
  /** The name of its instance profile, where that is known. */
  readonly instanceProfile?: string;
}
