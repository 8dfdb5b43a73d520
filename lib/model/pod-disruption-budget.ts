import type { LabelSelector } from '#lib/constraints/label-selector.ts';
import type { ObjectMeta } from './object.ts';

/** How many of the selected pods may be away. Amounts stay as written: 1, "50%". */
export interface PodDisruptionBudget {
  readonly meta: ObjectMeta & { readonly namespace: string };
  readonly selector?: LabelSelector;
  readonly minAvailable?: string;
  readonly maxUnavailable?: string;
  readonly disruptionsAllowed: number;
  /** How many pods it has, and how many of them it wants healthy; absent before anybody counted. */
  readonly expectedPods?: number;
  readonly desiredHealthy?: number;
  readonly unhealthyPodEvictionPolicy: 'IfHealthyBudget' | 'AlwaysAllow';
}
