import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';

/** Whether a PodDisruptionBudget is about a pod; these clusters use matchLabels alone. */
export function selected({ meta, selector }: PodDisruptionBudget, pod: Pod): boolean {
  if (meta.namespace !== pod.meta.namespace || selector === undefined) return false;
  if (selector.matchExpressions.length > 0) throw new Error('expected labels, found expressions');
  return Object.entries(selector.matchLabels).every(
    ([key, value]) => pod.meta.labels[key] === value,
  );
}
