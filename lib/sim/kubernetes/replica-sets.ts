/**
 * The ReplicaSet controller: as many pods as asked for, at most BATCH created at a time.
 *
 * Simplified: pods that match the selector and have no controller are not adopted.
 *
 * Source: kubernetes v1.36, controller/replicaset and controller_utils.go, ActivePodsWithRanks.
 */
import { compareText } from '#lib/constraints/order.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { isActive, isReady } from './conditions.ts';
import { newPod } from './pod-factory.ts';
import { createPodTally, type Tally } from './pod-tally.ts';
import type { Registry } from './registry.ts';
import { isPod, type Store } from './store.ts';
import type { PodObject } from './wire.ts';
import type { WorkQueue } from './work-queue.ts';
import { watchWorkloads } from './workload-queue.ts';
import type { ReplicaSetObject } from './workload-wire.ts';
import { createWriter, refusedBecause, type Writer } from './writer.ts';

/** What a controller of workloads works with. */
export interface ControllerParts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly registry: Registry;
}

const REACTION_MS = 20;
const BATCH = 100;
const BATCH_MS = 100;
/** After a pod was refused, the next attempt. */
const RETRY_MS = 10_000;

/** Starts the controller over a registry. */
export function startReplicaSets(parts: ControllerParts): void {
  const writer = createWriter(parts.registry, 'replicaset-controller');
  const tallyOf = createPodTally(parts.registry.store);
  watchWorkloads(parts.registry, {
    kind: 'ReplicaSet',
    owns: 'Pod',
    reactionMs: REACTION_MS,
    reconcile: (set, queue) => reconcile({ ...parts, tallyOf }, writer, set, queue),
  });
}

/** The pods that a workload controls and that count: neither finished nor leaving. */
const activePods = (store: Store, uid: string): readonly PodObject[] =>
  store.dependents(uid).filter(isPod).filter(isActive);

function reconcile(
  parts: ControllerParts & { readonly tallyOf: (uid: string) => Tally },
  writer: Writer,
  set: ReplicaSetObject,
  queue: WorkQueue,
): void {
  const { uid, generation } = set.metadata;
  const { active, ready } = parts.tallyOf(uid);
  const missing = set.spec.replicas - active;
  if (missing > 0) create(parts, writer, set, { missing, queue });
  else if (missing < 0) {
    const pods = activePods(parts.registry.store, uid);
    for (const pod of leastMissed(pods).slice(0, -missing)) writer.remove(pod);
  }
  writer.updateStatus(set, {
    replicas: active,
    fullyLabeledReplicas: active,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: generation,
  });
}

function create(
  { journal, clock }: ControllerParts,
  writer: Writer,
  set: ReplicaSetObject,
  { missing, queue }: { readonly missing: number; readonly queue: WorkQueue },
): void {
  for (let made = 0; made < Math.min(missing, BATCH); made += 1) {
    const refused = refusedBecause(writer.create(newPod(set, set.spec.template)));
    if (refused === undefined) continue;
    const text = `no pod for ReplicaSet ${set.metadata.name}: ${refused}`;
    journal.note({ at: clock.now(), source: 'controller', text });
    queue.add(set.metadata.uid, RETRY_MS);
    return;
  }
  if (missing > BATCH) queue.add(set.metadata.uid, BATCH_MS);
}

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Pods in the order in which they are given up. */
function leastMissed(pods: readonly PodObject[]): readonly PodObject[] {
  const perNode = new Map<string, number>();
  for (const { spec } of pods) {
    perNode.set(spec.nodeName ?? '', (perNode.get(spec.nodeName ?? '') ?? 0) + 1);
  }
  const rank = (pod: PodObject): readonly number[] => [
    pod.spec.nodeName === undefined ? 0 : 1,
    pod.status.phase === 'Pending' ? 0 : 1,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.[DELETION_COST] ?? 0),
    -(perNode.get(pod.spec.nodeName ?? '') ?? 0),
    -Date.parse(pod.metadata.creationTimestamp),
  ];
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod) }));
  ranked.sort((a, b) => {
    for (const [index, value] of a.rank.entries()) {
      const difference = value - (b.rank[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return compareText(a.pod.metadata.name, b.pod.metadata.name);
  });
  return ranked.map(({ pod }) => pod);
}
