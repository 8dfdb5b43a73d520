/**
 * The taint eviction controller: deletes pods that do not tolerate a NoExecute taint of their node,
 * at once or when their toleration's seconds are over.
 *
 * Source: kubernetes v1.36, controller/tainteviction.
 */
import { type Taint, tolerates } from '#lib/constraints/taints.ts';
import type { Clock } from '../clock.ts';
import { setCondition } from './conditions.ts';
import { tolerationsOf } from './node-info.ts';
import type { Registry } from './registry.ts';
import { taintOf } from './selector-of.ts';
import { type Change, isNode, isPod } from './store.ts';
import type { NodeObject, PodObject } from './wire.ts';
import { createWriter, type Writer } from './writer.ts';

/** From a taint to the deletion of what does not tolerate it. Source: observed, 0.23 s. */
const REACTION_MS = 200;

interface Inside {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly writer: Writer;
  readonly sentences: Map<string, { readonly due: number; readonly cancel: () => void }>;
}

/** Starts the controller over a registry. */
export function startTaintEviction(clock: Clock, registry: Registry): void {
  const writer = createWriter(registry, 'taint-eviction-controller');
  const inside: Inside = { clock, registry, writer, sentences: new Map() };
  registry.store.onChange((change) => {
    if (isPod(change.object)) hearPod(inside, change, change.object);
    else if (isNode(change.object)) hearNode(inside, change, change.object);
  });
}

function hearPod(inside: Inside, { type, old }: Change, pod: PodObject): void {
  if (type === 'deleted') acquit(inside, pod.metadata.uid);
  else if (pod.spec.nodeName !== undefined) {
    const wasBound = old !== undefined && isPod(old) && old.spec.nodeName !== undefined;
    if (!wasBound) judge(inside, pod);
  }
}

function hearNode(inside: Inside, { type, old }: Change, node: NodeObject): void {
  if (type === 'deleted') return;
  if (old !== undefined && isNode(old) && old.spec === node.spec) return;
  for (const pod of inside.registry.store.podsOn(node.metadata.name)) judge(inside, pod);
}

function acquit({ sentences }: Inside, uid: string): void {
  sentences.get(uid)?.cancel();
  sentences.delete(uid);
}

function judge(inside: Inside, pod: PodObject): void {
  const { uid, deletionTimestamp } = pod.metadata;
  const node = inside.registry.store.known('Node', '', pod.spec.nodeName ?? '');
  const taints = (node?.spec.taints ?? []).map(taintOf).filter(isNoExecute);
  const patience = deletionTimestamp === undefined ? patienceMs(pod, taints) : undefined;
  if (patience === undefined) {
    acquit(inside, uid);
    return;
  }
  const due = inside.clock.now() + Math.max(REACTION_MS, patience);
  const known = inside.sentences.get(uid);
  if (known !== undefined && known.due <= due) return;
  known?.cancel();
  const { cancel } = inside.clock.at(due, () => execute(inside, pod));
  inside.sentences.set(uid, { due, cancel });
}

const isNoExecute = ({ effect }: Taint): boolean => effect === 'NoExecute';

/** How long a pod may stay: 0 where it does not tolerate a taint, undefined where for ever. */
function patienceMs(pod: PodObject, taints: readonly Taint[]): number | undefined {
  const tolerations = tolerationsOf(pod);
  let least: number | undefined;
  for (const taint of taints) {
    const tolerating = tolerations.filter((toleration) => tolerates(taint, [toleration]));
    if (tolerating.length === 0) return 0;
    for (const { seconds } of tolerating) {
      if (seconds !== undefined) least = Math.min(least ?? seconds, Math.max(0, seconds));
    }
  }
  return least === undefined ? undefined : least * 1000;
}

function execute({ clock, registry, writer, sentences }: Inside, { metadata }: PodObject): void {
  sentences.delete(metadata.uid);
  const pod = registry.store.known('Pod', metadata.namespace ?? '', metadata.name);
  if (pod?.metadata.uid !== metadata.uid) return;
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  } as const;
  const conditions = setCondition(pod.status.conditions, target, clock.now());
  writer.updateStatus(pod, { ...pod.status, conditions });
  writer.remove(pod);
}
