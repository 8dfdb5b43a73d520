/**
 * The disruption controller: what each PodDisruptionBudget allows right now.
 *
 * Source: kubernetes v1.36, controller/disruption.
 */
import { selects } from '#lib/constraints/label-selector.ts';
import type { Clock } from '../clock.ts';
import { isFinished, isReady, setCondition } from './conditions.ts';
import { portion } from './deployments.ts';
import { recordAt } from './json.ts';
import type { Registry } from './registry.ts';
import { selectorOf } from './selector-of.ts';
import { isPod, type Store } from './store.ts';
import type { PodObject, StringMap } from './wire.ts';
import { createWorkQueue } from './work-queue.ts';
import type { BudgetObject } from './workload-wire.ts';
import { controllerUid, createWriter, type Writer } from './writer.ts';

const REACTION_MS = 10;

/** Starts the controller over a registry. */
export function startBudgets(clock: Clock, registry: Registry): void {
  const writer = createWriter(registry, 'disruption-controller');
  const { store } = registry;
  const queue = createWorkQueue(clock, (uid) => {
    const budget = store.knownByUid('PodDisruptionBudget', uid);
    if (budget !== undefined) reconcile(registry, writer, budget);
  });
  store.onChange(({ object }) => {
    if (object.kind === 'PodDisruptionBudget') queue.add(object.metadata.uid, REACTION_MS);
    if (!isPod(object) || store.count('PodDisruptionBudget') === 0) return;
    for (const budget of store.all('PodDisruptionBudget')) {
      if (isAbout(budget, object)) queue.add(budget.metadata.uid, REACTION_MS);
    }
  });
}

const isAbout = ({ metadata, spec }: BudgetObject, pod: PodObject): boolean =>
  metadata.namespace === pod.metadata.namespace &&
  selects(selectorOf(spec.selector), pod.metadata.labels ?? {});

function reconcile(registry: Registry, writer: Writer, budget: BudgetObject): void {
  const { store, clock } = registry;
  const pods = store.all('Pod').filter((pod) => isAbout(budget, pod) && !isFinished(pod));
  const disruptedPods = stillDisrupted(budget, pods);
  const healthy = pods.filter(
    (pod) =>
      isReady(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      disruptedPods[pod.metadata.name] === undefined,
  ).length;
  const expected = expectation(budget, pods, store);
  const counts =
    expected === undefined
      ? { expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 }
      : {
          ...expected,
          disruptionsAllowed:
            expected.expectedPods === 0 ? 0 : Math.max(0, healthy - expected.desiredHealthy),
        };
  const condition = {
    type: 'DisruptionAllowed',
    status: counts.disruptionsAllowed > 0 ? 'True' : 'False',
    reason: reasonOf(expected !== undefined, counts.disruptionsAllowed),
    message: '',
  } as const;
  writer.updateStatus(budget, {
    ...counts,
    currentHealthy: healthy,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    observedGeneration: budget.metadata.generation,
    conditions: setCondition(budget.status.conditions, condition, clock.now()),
  });
}

function reasonOf(isCounted: boolean, allowed: number): string {
  if (!isCounted) return 'SyncFailed';
  return allowed > 0 ? 'SufficientPods' : 'InsufficientPods';
}

/** Evicted pods count until they are seen to be leaving. */
function stillDisrupted({ status }: BudgetObject, pods: readonly PodObject[]): StringMap {
  const still: Record<string, string> = {};
  for (const { metadata } of pods) {
    const since = status.disruptedPods?.[metadata.name];
    if (since !== undefined && metadata.deletionTimestamp === undefined)
      still[metadata.name] = since;
  }
  return still;
}

/** How many pods there should be and how many must be up; undefined where nobody can tell. */
function expectation(
  { spec }: BudgetObject,
  pods: readonly PodObject[],
  store: Store,
): { readonly expectedPods: number; readonly desiredHealthy: number } | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (typeof minAvailable === 'number') {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  const expectedPods = scaleOf(pods, store);
  if (expectedPods === undefined) return undefined;
  if (maxUnavailable !== undefined) {
    const lacking = portion(maxUnavailable, expectedPods, Math.ceil);
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - lacking) };
  }
  const desiredHealthy = portion(minAvailable ?? 1, expectedPods, Math.ceil);
  return { expectedPods, desiredHealthy };
}

/** What the controllers of these pods are scaled to; a pod without one cannot be counted. */
function scaleOf(pods: readonly PodObject[], store: Store): number | undefined {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const uid = controllerUid(pod);
    const controller = uid === undefined ? undefined : store.byUid(uid);
    const above = controller === undefined ? undefined : controllerUid(controller);
    const scaled = (above === undefined ? undefined : store.byUid(above)) ?? controller;
    const replicas = recordAt(scaled, 'spec').replicas;
    if (scaled === undefined || typeof replicas !== 'number') return undefined;
    scales.set(scaled.metadata.uid, replicas);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}
