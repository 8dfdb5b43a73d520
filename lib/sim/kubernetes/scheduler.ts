/**
 * kube-scheduler: one pod at a time, filters, scores, binds; pods that fit nowhere are marked, told
 * of in an Event and tried again when something changes that may help them.
 *
 * Simplified: no preemption (a pod of higher priority evicts nobody), no other profiles or plugins
 * than the default ones listed in filters.ts and scores.ts, no extenders. A pod's own writes are
 * paced as kube-scheduler's client is; an attempt takes ATTEMPT_MS, or MARK_MS if it marks the pod.
 *
 * Source: kubernetes v1.36, scheduler/schedule_one.go; the fate of nominations as observed.
 */
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { bindPod } from './binding.ts';
import { findCondition, isFinished, setCondition } from './conditions.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import { type PodRules, refusalOf } from './filters.ts';
import { sameJson } from './json.ts';
import { type ClusterView, createClusterView, type NodeInfo } from './node-info.ts';
import type { NodeRefusal, Plugin } from './node-refusal.ts';
import { createPace, type Pace } from './pace.ts';
import { mayHelp } from './queueing-hints.ts';
import type { Registry } from './registry.ts';
import { createSchedulingQueue, type QueuedPod, type SchedulingQueue } from './scheduling-queue.ts';
import { scoresOf } from './scores.ts';
import type { ClusterSettings } from './settings.ts';
import { isRefusal } from './status.ts';
import { type Change, isNode, isPod } from './store.ts';
import { topologyRules } from './topology-filters.ts';
import { NO_NODES, unschedulableMessage } from './unschedulable-message.ts';
import { provisionFor, volumeRules } from './volumes.ts';
import type { NodeObject, PodObject } from './wire.ts';
import { createWriter, type Writer } from './writer.ts';

/** What the scheduler works with. */
export interface SchedulerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly registry: Registry;
  readonly settings: ClusterSettings;
}

interface Inside extends SchedulerParts {
  readonly queue: SchedulingQueue;
  readonly view: ClusterView;
  readonly writer: Writer;
  readonly events: EventRecorder;
  readonly writes: Pace;
  readonly eventWrites: Pace;
  /** Where the next search for nodes begins. */
  nextStart: number;
  isBusy: boolean;
}

const NAME = 'default-scheduler';
const ACTOR = 'kube-scheduler';
/** From a write to the scheduler having heard of it. */
const HEARD_MS = 5;
const ATTEMPT_MS = 1;
/** The same where it ends in a status patch, which is waited for. Source: observed, 60 in 0.7 s. */
const MARK_MS = 12;

/** Starts a scheduler over a registry. */
export function startScheduler(parts: SchedulerParts): void {
  const { clock, registry, settings } = parts;
  const view = createClusterView(registry.store);
  const writer = createWriter(registry, ACTOR);
  const inside: Inside = {
    ...parts,
    queue: createSchedulingQueue(clock, () => pump(inside)),
    view,
    writer,
    events: createEventRecorder(NAME, clock, registry.store, writer),
    writes: createPace(clock, settings.schedulerQps),
    eventWrites: createPace(clock, settings.schedulerQps),
    nextStart: 0,
    isBusy: false,
  };
  registry.store.onChange((change) => hear(inside, change));
}

function pump(inside: Inside): void {
  if (inside.isBusy) return;
  inside.isBusy = true;
  inside.clock.after(HEARD_MS, () => step(inside));
}

function step(inside: Inside): void {
  const next = inside.queue.pop();
  if (next === undefined) {
    inside.isBusy = false;
    return;
  }
  inside.writes.whenFree(() => {
    const taken = attempt(inside, next);
    inside.clock.after(taken, () => step(inside));
  });
}

const waits = ({ spec, metadata, status }: PodObject): boolean =>
  (spec.nodeName ?? '') === '' &&
  metadata.deletionTimestamp === undefined &&
  status.phase === 'Pending' &&
  spec.schedulerName === NAME &&
  (spec.schedulingGates ?? []).length === 0;

function hear(inside: Inside, change: Change): void {
  const { object, old, type } = change;
  if (isPod(object)) hearPod(inside, change, object);
  else if (isNode(object) && type !== 'deleted') {
    const before = old !== undefined && isNode(old) ? old : undefined;
    if (before !== undefined && !isNews(before, object)) return;
    inside.queue.wake(({ pod, refusedBy }) => mayHelp(pod, object, before, refusedBy));
  } else if (VOLUME_KINDS.has(object.kind)) wakeFor(inside, ['VolumeBinding']);
}

const VOLUME_KINDS = new Set(['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass']);

/** Whether a Node changed in something that placement looks at. */
const isNews = (old: NodeObject, next: NodeObject): boolean =>
  old.spec !== next.spec ||
  old.metadata.labels !== next.metadata.labels ||
  !sameJson(old.status.allocatable, next.status.allocatable);

function hearPod(inside: Inside, { type, old }: Change, pod: PodObject): void {
  const isGone = type === 'deleted' || isFinished(pod);
  if (isGone || !waits(pod)) inside.queue.drop(pod.metadata.uid);
  else inside.queue.add(pod);
  if ((pod.spec.nodeName ?? '') === '') return;
  if (isGone) {
    wakeFor(inside, ['NodeResourcesFit', 'NodePorts', 'PodTopologySpread', 'InterPodAffinity']);
  } else if (old !== undefined && isPod(old) && old.spec.nodeName === undefined) {
    wakeFor(inside, ['PodTopologySpread', 'InterPodAffinity']);
  }
}

const wakeFor = ({ queue }: Inside, plugins: readonly Plugin[]): void =>
  queue.wake(({ refusedBy }) => plugins.some((plugin) => refusedBy.has(plugin)));

/** Tries to place a pod; gives the milliseconds that this keeps the next pod waiting. */
function attempt(inside: Inside, queued: QueuedPod): number {
  const { pod } = queued;
  if (!waits(pod)) return 0;
  queued.attempts += 1;
  const { view, registry } = inside;
  if (view.nodes.size === 0) {
    inside.queue.retry(queued);
    return fail(inside, queued, NO_NODES);
  }
  const rules: PodRules = {
    topology: topologyRules(pod, view, registry.store),
    volumes: volumeRules(pod, registry.store),
  };
  const refusals = new Map<string, NodeRefusal>();
  const chosen = wishedNode(pod, view, rules) ?? bestNode(inside, pod, rules, refusals);
  if (chosen !== undefined) {
    bind(inside, pod, chosen);
    return ATTEMPT_MS;
  }
  inside.queue.park(queued, new Set([...refusals.values()].map(({ plugin }) => plugin)));
  return fail(inside, queued, unschedulableMessage([...refusals.values()]));
}

/** The node that a pod was nominated to, if it takes the pod: then no other is looked at. */
function wishedNode(pod: PodObject, view: ClusterView, rules: PodRules): NodeInfo | undefined {
  const info = view.nodes.get(pod.status.nominatedNodeName ?? '');
  if (info === undefined || refusalOf(pod, info, view, rules) !== undefined) return undefined;
  return info;
}

function bestNode(
  inside: Inside,
  pod: PodObject,
  rules: PodRules,
  refusals: Map<string, NodeRefusal>,
): NodeInfo | undefined {
  const feasible = feasibleNodes(inside, pod, rules, refusals);
  if (feasible.length <= 1) return feasible[0];
  const scores = scoresOf(pod, feasible, inside.view, inside.registry.store);
  const highest = Math.max(...scores);
  const best = feasible.filter((_, index) => scores[index] === highest);
  return best[inside.random.between(0, best.length - 1)];
}

/** Enough nodes to choose from. Source: kubernetes v1.36, schedule_one.go, numFeasibleNodesToFind. */
function enough(nodes: number): number {
  if (nodes < 100) return nodes;
  const percent = Math.max(5, Math.trunc(50 - nodes / 125));
  return Math.max(100, Math.trunc((nodes * percent) / 100));
}

function feasibleNodes(
  inside: Inside,
  pod: PodObject,
  rules: PodRules,
  refusals: Map<string, NodeRefusal>,
): readonly NodeInfo[] {
  const { view } = inside;
  const all = [...view.nodes.values()];
  const wanted = enough(all.length);
  const feasible: NodeInfo[] = [];
  let seen = 0;
  for (; seen < all.length && feasible.length < wanted; seen += 1) {
    const info = all[(inside.nextStart + seen) % all.length];
    if (info === undefined) continue;
    const refusal = refusalOf(pod, info, view, rules);
    if (refusal === undefined) feasible.push(info);
    else refusals.set(info.node.metadata.name, refusal);
  }
  inside.nextStart = (inside.nextStart + seen) % all.length;
  return feasible;
}

function bind(inside: Inside, pod: PodObject, { node }: NodeInfo): void {
  const { registry, writer, eventWrites, events } = inside;
  const nodeName = node.metadata.name;
  provisionFor(pod, node, registry.store, writer);
  inside.writes.spend();
  const bound = bindPod(registry, pod, { nodeName }, { actor: ACTOR });
  if (isRefusal(bound)) return;
  const { namespace, name } = pod.metadata;
  const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  eventWrites.whenFree(() => {
    eventWrites.spend();
    events.record({ about: pod, type: 'Normal', reason: 'Scheduled', action: 'Binding', note });
  });
}

function fail(inside: Inside, { pod }: QueuedPod, message: string): number {
  const { clock, writer, eventWrites, events } = inside;
  eventWrites.whenFree(() => {
    eventWrites.spend();
    const about = pod;
    const reason = 'FailedScheduling';
    events.record({ about, type: 'Warning', reason, action: 'Scheduling', note: message });
  });
  const { nominatedNodeName, ...status } = pod.status;
  const isKept = pod.spec.preemptionPolicy === 'Never' && message !== NO_NODES;
  const old = findCondition(status.conditions, 'PodScheduled');
  const isKnown = old?.reason === 'Unschedulable' && old.message === message;
  if (isKnown && (isKept || nominatedNodeName === undefined)) return ATTEMPT_MS;
  inside.writes.spend();
  if (old?.reason !== 'Unschedulable') note(inside, pod, message);
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
  } as const;
  const conditions = setCondition(status.conditions, condition, clock.now());
  const kept = isKept && nominatedNodeName !== undefined ? { nominatedNodeName } : {};
  writer.updateStatus(pod, { ...status, ...kept, conditions });
  return MARK_MS;
}

function note({ journal, clock }: Inside, { metadata }: PodObject, message: string): void {
  const fields = { pod: `${metadata.namespace}/${metadata.name}` };
  const text = `${metadata.namespace}/${metadata.name} fits nowhere: ${message}`;
  journal.note({ at: clock.now(), source: 'scheduler', text, fields });
}
