/**
 * The StatefulSet controller: pods by number, in order unless Parallel, each with its claims.
 *
 * Simplified: an update replaces pods from the highest number down, one at a time (no partition);
 * claims are kept when pods go.
 *
 * Source: kubernetes v1.36, controller/statefulset/stateful_set_control.go.
 */
import { isReady } from './conditions.ts';
import { newPod } from './pod-factory.ts';
import type { ControllerParts } from './replica-sets.ts';
import { isPod, type Store } from './store.ts';
import { templateHash } from './template-hash.ts';
import type { PodObject } from './wire.ts';
import { watchWorkloads } from './workload-queue.ts';
import type { StatefulSetObject } from './workload-wire.ts';
import { createWriter, type Writer } from './writer.ts';

const REACTION_MS = 20;
const HASH_LABEL = 'controller-revision-hash';

/** Starts the controller over a registry. */
export function startStatefulSets({ registry }: ControllerParts): void {
  const writer = createWriter(registry, 'statefulset-controller');
  watchWorkloads(registry, {
    kind: 'StatefulSet',
    owns: 'Pod',
    reactionMs: REACTION_MS,
    reconcile: (set) => reconcile(registry.store, writer, set),
  });
}

function reconcile(store: Store, writer: Writer, set: StatefulSetObject): void {
  const { replicas, podManagementPolicy } = set.spec;
  const pods = new Map<number, PodObject>();
  for (const pod of store.dependents(set.metadata.uid).filter(isPod)) {
    pods.set(numberOf(pod), pod);
  }
  step(set, pods, podManagementPolicy === 'Parallel', writer);
  const present = [...pods.values()];
  writer.updateStatus(set, {
    replicas: present.length,
    currentReplicas: Math.min(replicas, present.length),
    readyReplicas: present.filter(isReady).length,
    availableReplicas: present.filter(isReady).length,
    observedGeneration: set.metadata.generation,
  });
}

const numberOf = ({ metadata }: PodObject): number =>
  Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));

/** Does what is next: everything at once if Parallel, else one thing while the rest is well. */
function step(
  set: StatefulSetObject,
  pods: ReadonlyMap<number, PodObject>,
  isParallel: boolean,
  writer: Writer,
): void {
  for (let number = 0; number < set.spec.replicas; number += 1) {
    const pod = pods.get(number);
    if (pod === undefined) createPod(set, number, writer);
    else if (pod.status.phase === 'Failed') writer.remove(pod);
    if (!(isParallel || isWell(pod))) return;
  }
  const surplus = [...pods.entries()].filter(([number]) => number >= set.spec.replicas);
  if (surplus.length === 0) replaceOldest(set, pods, writer);
  const highestFirst = surplus.sort(([a], [b]) => b - a).map(([, pod]) => pod);
  for (const pod of isParallel ? highestFirst : highestFirst.slice(0, 1)) writer.remove(pod);
}

const isWell = (pod: PodObject | undefined): boolean =>
  pod !== undefined && isReady(pod) && pod.metadata.deletionTimestamp === undefined;

function replaceOldest(
  set: StatefulSetObject,
  pods: ReadonlyMap<number, PodObject>,
  writer: Writer,
): void {
  if (![...pods.values()].every(isWell)) return;
  const hash = templateHash(set.spec.template);
  for (let number = set.spec.replicas - 1; number >= 0; number -= 1) {
    const pod = pods.get(number);
    if (pod === undefined || pod.metadata.labels?.[HASH_LABEL] === hash) continue;
    writer.remove(pod);
    return;
  }
}

function createPod(set: StatefulSetObject, number: number, writer: Writer): void {
  const name = `${set.metadata.name}-${number}`;
  const { template, volumeClaimTemplates = [] } = set.spec;
  const namespace = set.metadata.namespace ?? 'default';
  const volumes = volumeClaimTemplates.map(({ metadata, spec }) => {
    const claimName = `${metadata.name}-${name}`;
    const labels = { ...set.spec.selector.matchLabels, ...metadata.labels };
    writer.create({
      kind: 'PersistentVolumeClaim',
      metadata: { name: claimName, namespace, labels },
      spec,
    });
    return { name: metadata.name, persistentVolumeClaim: { claimName } };
  });
  const labels = {
    [HASH_LABEL]: templateHash(template),
    'apps.kubernetes.io/pod-index': String(number),
    'statefulset.kubernetes.io/pod-name': name,
  };
  const own = (template.spec.volumes ?? []).filter(
    (volume) => !volumes.some((claimed) => claimed.name === volume.name),
  );
  const spec = volumes.length === 0 ? {} : { volumes: [...own, ...volumes] };
  writer.create(newPod(set, template, { name, labels, spec }));
}
