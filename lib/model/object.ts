import type { Labels } from '#lib/constraints/label-selector.ts';
import type { EpochMs } from './time.ts';

/** What every object of the cluster carries. Cluster-scoped objects have no namespace. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly createdAt: EpochMs;
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly owners: readonly Owner[];
  /** When a deletion was asked for; the object stays until its finalizers are gone. */
  readonly deletedAt?: EpochMs;
}

/** An ownerReference. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

/**
 * One object as it was seen: enough to act on it and to be refused if it has changed since.
 * Every write to an existing object carries both uid and resourceVersion, but for the deletion of one
 * whose machine goes.
 */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A status condition, Kubernetes' own shape with the instant decoded. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly changedAt: EpochMs;
  readonly observedGeneration?: number;
}
