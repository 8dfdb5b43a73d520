import type { ObjectMeta } from './object.ts';
import type { Pod } from './pod.ts';

/** A DaemonSet and the pod it would put on each node that its pod accepts. */
export interface DaemonSet {
  readonly meta: ObjectMeta & { readonly namespace: string };
  /** Made from the template; limits stand in for requests that are missing. Never bound. */
  readonly pod: Pod;
}
