/**
 * The DaemonSet controller: one pod for each node that suits, tied to it by affinity to its name
 * and then bound by the scheduler.
 *
 * Simplified: an update replaces one pod at a time (maxSurge 0, maxUnavailable 1).
 *
 * Source: kubernetes v1.36, controller/daemon.
 */
import { tolerates } from '#lib/constraints/taints.ts';
import { isActive, isReady } from './conditions.ts';
import { wantsNode } from './node-terms.ts';
import { newPod } from './pod-factory.ts';
import type { ControllerParts } from './replica-sets.ts';
import { taintOf, tolerationOf } from './selector-of.ts';
import { isNode, isPod, type Store } from './store.ts';
import { templateHash } from './template-hash.ts';
import type { NodeObject, PodObject, PodSpec, WireToleration } from './wire.ts';
import { watchWorkloads } from './workload-queue.ts';
import type { DaemonSetObject } from './workload-wire.ts';
import { createWriter, type Writer } from './writer.ts';

const REACTION_MS = 50;
const HASH_LABEL = 'controller-revision-hash';

/** Starts the controller over a registry. */
export function startDaemonSets({ registry }: ControllerParts): void {
  const writer = createWriter(registry, 'daemon-set-controller');
  const { store } = registry;
  const queue = watchWorkloads(registry, {
    kind: 'DaemonSet',
    owns: 'Pod',
    reactionMs: REACTION_MS,
    reconcile: (set) => reconcile(store, writer, set),
  });
  store.onChange(({ object, old }) => {
    const isSame = object.spec === old?.spec && object.metadata.labels === old?.metadata.labels;
    if (!isNode(object) || isSame) return;
    for (const { metadata } of store.all('DaemonSet')) queue.add(metadata.uid, REACTION_MS);
  });
}

function reconcile(store: Store, writer: Writer, set: DaemonSetObject): void {
  const hash = templateHash(set.spec.template);
  const pods = store.dependents(set.metadata.uid).filter(isPod);
  const running = new Map(pods.filter(isActive).map((pod) => [targetOf(pod), pod]));
  // One that is on its way out keeps its node from getting another.
  const leaving = new Set(pods.filter((pod) => !isActive(pod)).map(targetOf));
  const suitable = store
    .all('Node')
    .filter((node) => suitsNode(set.spec.template.spec, node, running.has(node.metadata.name)))
    .map(({ metadata }) => metadata.name);
  for (const name of suitable) {
    if (running.has(name) || leaving.has(name)) continue;
    const difference = { labels: { [HASH_LABEL]: hash }, spec: specFor(set, name) };
    writer.create(newPod(set, set.spec.template, difference));
  }
  removeMisplaced({ store, writer, pods, running, suitable: new Set(suitable) });
  replaceOne([...running.values()], hash, writer);
  writeStatus(writer, set, suitable.length, [...running.values()]);
}

interface Placement {
  readonly store: Store;
  readonly writer: Writer;
  readonly pods: readonly PodObject[];
  readonly running: ReadonlyMap<string, PodObject>;
  readonly suitable: ReadonlySet<string>;
}

/** A pod that runs on a Node that is gone is left to the pod garbage collector. */
function removeMisplaced({ store, writer, pods, running, suitable }: Placement): void {
  for (const pod of pods) if (pod.status.phase === 'Failed') writer.remove(pod);
  for (const [name, pod] of running) {
    const isOrphan = store.get('Node', '', name) === undefined;
    if (isOrphan ? pod.spec.nodeName === undefined : !suitable.has(name)) writer.remove(pod);
  }
}

function writeStatus(
  writer: Writer,
  set: DaemonSetObject,
  desired: number,
  running: readonly PodObject[],
): void {
  writer.updateStatus(set, {
    desiredNumberScheduled: desired,
    currentNumberScheduled: running.filter(({ spec }) => spec.nodeName !== undefined).length,
    numberReady: running.filter(isReady).length,
    numberAvailable: running.filter(isReady).length,
    numberMisscheduled: 0,
    observedGeneration: set.metadata.generation,
  });
}

/** The node that a pod was made for. */
function targetOf({ spec }: PodObject): string {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const [field] = required?.nodeSelectorTerms[0]?.matchFields ?? [];
  return spec.nodeName ?? field?.values?.[0] ?? '';
}

const TOLERATED: readonly (readonly [string, 'NoExecute' | 'NoSchedule'])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
];

/** Source: kubernetes v1.36, controller/daemon/util, AddOrUpdateDaemonPodTolerations. */
function withTolerations({ tolerations, hostNetwork }: PodSpec): readonly WireToleration[] {
  const network = ['node.kubernetes.io/network-unavailable', 'NoSchedule'] as const;
  const keys = hostNetwork === true ? [...TOLERATED, network] : TOLERATED;
  const added = keys.map(([key, effect]) => ({ key, operator: 'Exists' as const, effect }));
  return [...(tolerations ?? []), ...added];
}

/** One that runs already is driven out by NoExecute taints only. */
function suitsNode(template: PodSpec, node: NodeObject, isRunning: boolean): boolean {
  if (!wantsNode(template, node)) return false;
  const tolerations = withTolerations(template).map(tolerationOf);
  return (node.spec.taints ?? []).every((wire) => {
    const isHard = isRunning ? wire.effect === 'NoExecute' : wire.effect !== 'PreferNoSchedule';
    return !isHard || tolerates(taintOf(wire), tolerations);
  });
}

/** The template's own alternatives, each tied to the node by name. */
function specFor({ spec }: DaemonSetObject, nodeName: string): Partial<PodSpec> {
  const template = spec.template.spec;
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }];
  const { nodeAffinity } = template.affinity ?? {};
  const own = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const nodeSelectorTerms = (own ?? [{}]).map((term) => ({ ...term, matchFields }));
  return {
    tolerations: withTolerations(template),
    affinity: {
      ...template.affinity,
      nodeAffinity: {
        ...nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
      },
    },
  };
}

function replaceOne(pods: readonly PodObject[], hash: string, writer: Writer): void {
  if (!pods.every(isReady)) return;
  const old = pods.find(({ metadata }) => metadata.labels?.[HASH_LABEL] !== hash);
  if (old !== undefined) writer.remove(old);
}
