import type { ObjectRef } from '#lib/model/object.ts';

/**
 * The resourceVersions that our own writes have led to. A Plan refers to objects as they were
 * seen; its second write to one of them must expect what its first has made of it, and nothing
 * else: a version is noted only after a write that was conditional on the one before.
 */
export interface Versions {
  /** `ref` as our last write left it, or as it was seen where we have not written. */
  readonly current: (ref: ObjectRef) => ObjectRef;
  readonly note: (ref: ObjectRef, resourceVersion: string) => void;
}

/** Versions of one round of acting. */
export function createVersions(): Versions {
  const latest = new Map<string, string>();
  return {
    current: (ref) => {
      const resourceVersion = latest.get(ref.uid);
      return resourceVersion === undefined ? ref : { ...ref, resourceVersion };
    },
    note: ({ uid }, resourceVersion) => {
      latest.set(uid, resourceVersion);
    },
  };
}
