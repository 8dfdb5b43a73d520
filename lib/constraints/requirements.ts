import type { Requirement } from './requirement.ts';

/** One Requirement per label key: what a pod asks, a pool allows, a type offers. */
export type Requirements = ReadonlyMap<string, Requirement>;
