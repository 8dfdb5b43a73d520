/**
 * The eviction subresource: deletes a pod if its budget allows, and counts it against the budget
 * until the controller has seen it go.
 *
 * Source: kubernetes v1.36, registry/core/pod/storage/eviction.go.
 */
import { selects } from '#lib/constraints/label-selector.ts';
import { isReady, setCondition } from './conditions.ts';
import type { DeleteOptions } from './deletion.ts';
import type { Registry, WriteOptions } from './registry.ts';
import { selectorOf } from './selector-of.ts';
import { isRefusal, type Refusal, refusal } from './status.ts';
import { isPod, type Store } from './store.ts';
import { toTimestamp } from './timestamps.ts';
import type { KubeObject, PodObject } from './wire.ts';
import type { BudgetObject } from './workload-wire.ts';

/** Seconds that a client is asked to wait where the budget has not been counted yet. */
const RECOUNT_SECONDS = 10;

/** Evicts `pod`, or says why not. Evicting one that is on its way out anyway is granted. */
export function evictPod(
  registry: Registry,
  pod: PodObject,
  ask: DeleteOptions,
  options: WriteOptions,
): KubeObject | Refusal {
  const spent = spendBudget(registry, pod, options);
  if (isRefusal(spent)) return spent;
  const resource = registry.resourceOfKind('Pod');
  if (resource === undefined) throw new Error('expected the API server to know the kind Pod');
  if (options.dryRun === true || pod.metadata.deletionTimestamp !== undefined) {
    return registry.remove(resource, pod, ask, options);
  }
  if (!isAsSeen(pod, ask)) return registry.remove(resource, pod, ask, options);
  const marked = markDisrupted(registry, pod, options);
  // The mark is the server's own write: who asked for the version before it is not too late.
  const { resourceVersion } = marked.metadata;
  const onMarked = ask.resourceVersion === undefined ? ask : { ...ask, resourceVersion };
  return registry.remove(resource, marked, onMarked, options);
}

const isAsSeen = ({ metadata }: PodObject, ask: DeleteOptions): boolean =>
  (ask.uid === undefined || ask.uid === metadata.uid) &&
  (ask.resourceVersion === undefined || ask.resourceVersion === metadata.resourceVersion);

function spendBudget(
  registry: Registry,
  pod: PodObject,
  options: WriteOptions,
): 'free' | 'spent' | Refusal {
  const { phase } = pod.status;
  const isUp = phase === 'Running' || phase === 'Unknown';
  if (!isUp || pod.metadata.deletionTimestamp !== undefined) return 'free';
  const [budget, another] = budgetsOf(registry.store, pod);
  if (budget === undefined) return 'free';
  if (another !== undefined) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    return refusal(500, 'InternalError', message);
  }
  if (!isReady(pod) && isFreeWhileUnready(budget)) return 'free';
  const closed = whyClosed(budget);
  if (closed !== undefined) return closed;
  if (options.dryRun !== true) countAgainst(registry, budget, pod, options.actor);
  return 'spent';
}

/** The budgets that select a pod, by name. */
const budgetsOf = (store: Store, pod: PodObject): readonly BudgetObject[] =>
  store
    .all('PodDisruptionBudget')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        selects(selectorOf(spec.selector), pod.metadata.labels ?? {}),
    );

function isFreeWhileUnready({ spec, status }: BudgetObject): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function whyClosed({ metadata, status }: BudgetObject): Refusal | undefined {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 1)) {
    const because = `The disruption budget ${metadata.name} is still being processed by the server.`;
    return { ...tooMany(because), retryAfterSeconds: RECOUNT_SECONDS };
  }
  if ((status.disruptionsAllowed ?? 0) > 0) return undefined;
  const { desiredHealthy = 0, currentHealthy = 0 } = status;
  return tooMany(
    `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  );
}

const tooMany = (because: string): Refusal => ({
  ...refusal(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
  ),
  details: { causes: [{ reason: 'DisruptionBudget', message: because }] },
});

function countAgainst(
  registry: Registry,
  budget: BudgetObject,
  pod: PodObject,
  actor: string,
): void {
  const { disruptionsAllowed = 0, disruptedPods } = budget.status;
  const now = toTimestamp(registry.clock.now());
  registry.store.put(
    {
      ...budget,
      status: {
        ...budget.status,
        disruptionsAllowed: disruptionsAllowed - 1,
        disruptedPods: { ...disruptedPods, [pod.metadata.name]: now },
      },
    },
    actor,
  );
}

function markDisrupted(registry: Registry, pod: PodObject, { actor }: WriteOptions): PodObject {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  } as const;
  const conditions = setCondition(pod.status.conditions, condition, registry.clock.now());
  const marked = { ...pod, status: { ...pod.status, conditions } };
  const stored = registry.store.put(marked, actor);
  return isPod(stored) ? stored : pod;
}
