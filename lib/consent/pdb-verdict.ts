import { selects } from '#lib/constraints/label-selector.ts';
import { byNamespacedName } from '#lib/constraints/order.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';

/**
 * What the budgets say to the eviction of one pod: yes, not now, or not as long as they stand.
 * `because` is the sentence of the DisruptionBlocked event, its first letter small; `budgets` are
 * namespace/name, sorted.
 */
export type PdbVerdict =
  | { readonly kind: 'allowed' }
  | {
      readonly kind: 'notNow' | 'never';
      readonly because: string;
      readonly budgets: readonly string[];
    };

const ALLOWED: PdbVerdict = { kind: 'allowed' };

/**
 * What `budgets` say to the eviction of `pod`, by itself: several pods that share an allowance
 * of one are each allowed. A pod under more than one budget is never evicted by the API server; a
 * budget that lets unhealthy pods go always lets one go whose Ready condition is False. Who is
 * not evictable at all (see isEvictable) needs no verdict.
 *
 * Cost: one selector match per budget of the pod's namespace.
 * Source: karpenter v1.14, utils/pdb/pdb.go, CanEvictPods and IsCurrentlyReschedulable.
 */
export function pdbVerdict(pod: Pod, budgets: readonly PodDisruptionBudget[]): PdbVerdict {
  const matching = near(pod, budgets).filter(({ selector }) => selects(selector, pod.meta.labels));
  const [budget, ...others] = matching;
  if (!budget) return ALLOWED;
  const names = matching
    .toSorted(byNamespacedName)
    .map(({ meta }) => `${meta.namespace}/${meta.name}`);
  if (others.length > 0) {
    const listed = `(PodDisruptionBudget(s)=[${names.join(' ')}])`;
    const because = `eviction does not support multiple PDBs ${listed}`;
    return { kind: 'never', because, budgets: names };
  }
  if (budget.unhealthyPodEvictionPolicy === 'AlwaysAllow' && pod.ready === 'False') return ALLOWED;
  const because = `pdb prevents pod evictions (PodDisruptionBudget=[${names.join(' ')}])`;
  if (isFullyBlocking(budget)) return { kind: 'never', because, budgets: names };
  return budget.disruptionsAllowed > 0 ? ALLOWED : { kind: 'notNow', because, budgets: names };
}

const NONE: readonly PodDisruptionBudget[] = [];

// Every pod of a Snapshot is asked about, more than once; it follows from the budgets alone.
const namespaces = new WeakMap<
  readonly PodDisruptionBudget[],
  ReadonlyMap<string, readonly PodDisruptionBudget[]>
>();

/** The budgets of the pod's namespace. */
function near({ meta }: Pod, budgets: readonly PodDisruptionBudget[]) {
  const known = namespaces.get(budgets) ?? Map.groupBy(budgets, (each) => each.meta.namespace);
  namespaces.set(budgets, known);
  return known.get(meta.namespace) ?? NONE;
}

/**
 * Whether a budget lets nobody go whatever happens, by its own words: a number of replicas that
 * happens to equal minAvailable is not seen.
 */
export const isFullyBlocking = (budget: PodDisruptionBudget): boolean =>
  budget.maxUnavailable === '0' || budget.maxUnavailable === '0%' || budget.minAvailable === '100%';

/**
 * Whether a budget wants every one of its pods healthy, by what was counted last: minAvailable is the
 * number of replicas, or a share that comes to it.
 */
export const wantsAll = ({ expectedPods = 0, desiredHealthy = 0 }: PodDisruptionBudget): boolean =>
  expectedPods > 0 && desiredHealthy >= expectedPods;
