import type { LabelSelector, Labels } from '#lib/constraints/label-selector.ts';
import type { ObjectMeta } from './object.ts';

/** A namespace and its labels, which namespace selectors look at. */
export interface Namespace {
  readonly meta: ObjectMeta;
}

/** What default topology spread deduces a pod's selector from. */
export interface WorkloadSelector {
  readonly kind: 'Service' | 'ReplicationController' | 'ReplicaSet' | 'StatefulSet';
  readonly meta: ObjectMeta & { readonly namespace: string };
  readonly selector?: LabelSelector;
  readonly matchLabels?: Labels;
}

/** A priority class, by name. */
export interface PriorityClass {
  readonly meta: ObjectMeta;
  readonly value: number;
  readonly globalDefault: boolean;
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never';
}
