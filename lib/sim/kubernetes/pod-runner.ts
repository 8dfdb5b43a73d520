/**
 * What one kubelet does with its pods: admits them, starts them, reports them, stops them.
 *
 * Simplified: a pod starts within `startSeconds`, whatever its images; a readiness probe succeeds
 * as soon as its initial delay is over; a pod that restarts always never ends; any other ends
 * well after its annotation `sim.joinery.dev/run-seconds`, the argument of its `sleep`, or
 * `runSeconds`.
 */
import { fits, type Resources, subtractResources } from '#lib/constraints/resources.ts';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { isFinished, setCondition } from './conditions.ts';
import { parseQuantities, podRequests } from './pod-requests.ts';
import type { Registry } from './registry.ts';
import {
  type ClusterSettings,
  RUN_SECONDS,
  type Span,
  START_SECONDS,
  STOP_SECONDS,
} from './settings.ts';
import { toTimestamp } from './timestamps.ts';
import type { PodObject, PodStatus, WireCondition } from './wire.ts';
import type { Writer } from './writer.ts';

/** What running the pods of one node takes. */
export interface PodRunnerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly registry: Registry;
  readonly writer: Writer;
  readonly settings: ClusterSettings;
  readonly hostIp: string;
}

/** Starts, reports, ends and stops the pods of one node. */
export interface PodRunner {
  /** A pod that is bound here, as it is now. */
  readonly see: (pod: PodObject) => void;
  readonly forget: (pod: PodObject) => void;
  /** From now on pods that are not on the host's network start, too. */
  readonly networkReady: () => void;
  /** Nothing is reported from here on. */
  readonly abandon: () => void;
}

interface Seen {
  readonly name: string;
  readonly namespace: string;
  isStarted: boolean;
  isStopping: boolean;
}

interface Inside extends PodRunnerParts {
  readonly pods: Map<string, Seen>;
  isNetworkReady: boolean;
  isAbandoned: boolean;
}

/** What a kubelet needs to notice a pod. */
const SYNC_MS = 50;

/** A runner without pods. */
export function createPodRunner(parts: PodRunnerParts): PodRunner {
  const inside: Inside = { ...parts, pods: new Map(), isNetworkReady: false, isAbandoned: false };
  return {
    see: (pod) => see(inside, pod),
    forget: ({ metadata }) => {
      inside.pods.delete(metadata.uid);
    },
    networkReady: () => {
      inside.isNetworkReady = true;
      for (const uid of inside.pods.keys()) later(inside, SYNC_MS, uid, start);
    },
    abandon: () => {
      inside.isAbandoned = true;
    },
  };
}

/** Does `step` in a while with the pod as it then is, unless it is gone by then. */
function later(
  inside: Inside,
  ms: number,
  uid: string,
  step: (inside: Inside, pod: PodObject, seen: Seen) => void,
): void {
  inside.clock.after(ms, () => {
    const seen = inside.pods.get(uid);
    if (seen === undefined || inside.isAbandoned) return;
    const pod = inside.registry.store.known('Pod', seen.namespace, seen.name);
    if (pod?.metadata.uid === uid) step(inside, pod, seen);
  });
}

function see(inside: Inside, pod: PodObject): void {
  const { uid, name, namespace = '', deletionTimestamp } = pod.metadata;
  let seen = inside.pods.get(uid);
  if (seen === undefined) {
    if (isFinished(pod) && deletionTimestamp === undefined) return;
    seen = { name, namespace, isStarted: false, isStopping: false };
    inside.pods.set(uid, seen);
    later(inside, SYNC_MS, uid, start);
  }
  if (deletionTimestamp === undefined || seen.isStopping) return;
  seen.isStopping = true;
  const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const needed = milliseconds(inside, pod, STOP_SECONDS, inside.settings.stopSeconds);
  later(inside, Math.min(grace, needed), uid, (_, stopped) => inside.writer.remove(stopped, 0));
}

/** Milliseconds: what the pod's annotation says, or within the span. */
function milliseconds(inside: Inside, pod: PodObject, annotation: string, span: Span): number {
  const own = Number(pod.metadata.annotations?.[annotation] ?? Number.NaN);
  if (!Number.isNaN(own)) return Math.max(0, own * 1000);
  return inside.random.between(Math.round(span.from * 1000), Math.round(span.to * 1000));
}

function start(inside: Inside, pod: PodObject, seen: Seen): void {
  if (seen.isStarted || seen.isStopping || isFinished(pod)) return;
  if (!inside.isNetworkReady && pod.spec.hostNetwork !== true) return;
  seen.isStarted = true;
  const refused = noRoom(inside, pod);
  if (refused !== undefined) {
    inside.writer.updateStatus(pod, { ...pod.status, phase: 'Failed', ...refused });
    return;
  }
  report(inside, pod, 'Pending', false);
  const needed = milliseconds(inside, pod, START_SECONDS, inside.settings.startSeconds);
  later(inside, needed, pod.metadata.uid, run);
}

/** A kubelet takes no pod for which it has no room. Source: kubernetes v1.36, kubelet/lifecycle. */
function noRoom(
  { registry }: Inside,
  pod: PodObject,
): { readonly reason: string; readonly message: string } | undefined {
  const node = registry.store.known('Node', '', pod.spec.nodeName ?? '');
  if (node === undefined) return undefined;
  let free: Resources = parseQuantities(node.status.allocatable);
  for (const other of registry.store.podsOn(node.metadata.name)) {
    if (other.metadata.uid === pod.metadata.uid) break;
    if (!isFinished(other)) free = subtractResources(free, podRequests(other));
  }
  const requests = podRequests(pod);
  const short = Object.keys(requests).find(
    (name) => !fits({ [name]: requests[name] ?? 0 }, { [name]: free[name] ?? 0 }),
  );
  if (short === undefined) return undefined;
  return {
    reason: `OutOf${short}`,
    message: `Pod was rejected: Node didn't have enough resource: ${short}`,
  };
}

function run(inside: Inside, pod: PodObject, seen: Seen): void {
  if (seen.isStopping) return;
  const delay = readinessDelay(pod);
  report(inside, pod, 'Running', delay === 0);
  if (delay > 0) {
    later(inside, delay, pod.metadata.uid, (_, now, { isStopping }) => {
      if (!isStopping) report(inside, now, 'Running', true);
    });
  }
  if (pod.spec.restartPolicy === 'Always') return;
  later(inside, runTime(inside, pod), pod.metadata.uid, (_, now, { isStopping }) => {
    if (!isStopping) report(inside, now, 'Succeeded', false);
  });
}

const readinessDelay = ({ spec }: PodObject): number =>
  Math.max(0, ...spec.containers.map((each) => each.readinessProbe?.initialDelaySeconds ?? 0)) *
  1000;

function runTime(inside: Inside, pod: PodObject): number {
  const [container] = pod.spec.containers;
  const words = [...(container?.command ?? []), ...(container?.args ?? [])].join(' ');
  const [, slept] = /\bsleep (\d+)\b/.exec(words) ?? [];
  const annotated = pod.metadata.annotations?.[RUN_SECONDS] !== undefined;
  if (slept !== undefined && !annotated) return Number(slept) * 1000;
  return milliseconds(inside, pod, RUN_SECONDS, inside.settings.runSeconds);
}

function report(
  inside: Inside,
  pod: PodObject,
  phase: 'Pending' | 'Running' | 'Succeeded',
  isUp: boolean,
): void {
  const now = inside.clock.now();
  const why = phase === 'Succeeded' ? 'PodCompleted' : 'ContainersNotReady';
  const wanted: readonly WireCondition[] = [
    { type: 'PodReadyToStartContainers', status: phase === 'Running' ? 'True' : 'False' },
    { type: 'Initialized', status: 'True' },
    condition('Ready', isUp, why),
    condition('ContainersReady', isUp, why),
  ];
  let conditions = pod.status.conditions;
  for (const each of wanted) conditions = setCondition(conditions, each, now);
  const status: PodStatus & { containerStatuses?: unknown } = {
    ...pod.status,
    phase,
    conditions: conditions ?? [],
    hostIP: inside.hostIp,
    startTime: pod.status.startTime ?? toTimestamp(now),
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      name,
      image: image ?? '',
      ready: isUp,
      restartCount: 0,
      started: phase === 'Running',
      state: containerState(phase, toTimestamp(now)),
    })),
  };
  inside.writer.updateStatus(pod, status);
}

const condition = (type: string, isUp: boolean, reason: string): WireCondition =>
  isUp ? { type, status: 'True' } : { type, status: 'False', reason };

function containerState(phase: 'Pending' | 'Running' | 'Succeeded', now: string): unknown {
  if (phase === 'Pending') return { waiting: { reason: 'ContainerCreating' } };
  if (phase === 'Running') return { running: { startedAt: now } };
  return { terminated: { exitCode: 0, reason: 'Completed', finishedAt: now } };
}
