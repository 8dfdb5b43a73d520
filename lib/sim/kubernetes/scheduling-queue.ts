import type { Clock } from '../clock.ts';
import type { Plugin } from './node-refusal.ts';
import type { PodObject } from './wire.ts';

/** A pod that waits for a node. */
export interface QueuedPod {
  pod: PodObject;
  readonly order: number;
  attempts: number;
  place: 'active' | 'backoff' | 'parked';
  /** The filters that refused it at its last attempt. */
  refusedBy: ReadonlySet<Plugin>;
}

/** The pods that wait: ready for an attempt, backing off, or parked until something changes. */
export interface SchedulingQueue {
  readonly size: () => number;
  readonly get: (uid: string) => QueuedPod | undefined;
  /** Takes in a new pod, or the new state of one that waits. */
  readonly add: (pod: PodObject) => void;
  readonly drop: (uid: string) => void;
  /** The next pod to try: of the highest priority, then the one that waits longest. */
  readonly pop: () => QueuedPod | undefined;
  /** Puts a pod back that no filter refused: it is tried again after its back-off. */
  readonly retry: (queued: QueuedPod) => void;
  /** Puts a pod back until one of `wake`'s events concerns it. */
  readonly park: (queued: QueuedPod, refusedBy: ReadonlySet<Plugin>) => void;
  /** Readies the parked pods that `concerns` picks. */
  readonly wake: (concerns: (queued: QueuedPod) => boolean) => void;
}

/** Source: kubernetes v1.36, scheduler, podInitialBackoffSeconds and podMaxBackoffSeconds. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 10_000;

/**
 * A queue that calls `onActive` when a pod becomes ready. A woken pod does not wait for the rest of
 * its back-off (upstream: only while others are ready); parked pods are not retried after five
 * minutes as upstream does, since no event is ever lost here.
 */
export function createSchedulingQueue(clock: Clock, onActive: () => void): SchedulingQueue {
  const waiting = new Map<string, QueuedPod>();
  const active = new Map<number, QueuedPod[]>();
  let added = 0;

  const activate = (queued: QueuedPod): void => {
    queued.place = 'active';
    const priority = queued.pod.spec.priority ?? 0;
    const line = active.get(priority);
    if (line === undefined) active.set(priority, [queued]);
    else line.push(queued);
    onActive();
  };
  const isReady = (queued: QueuedPod): boolean =>
    waiting.get(queued.pod.metadata.uid) === queued && queued.place === 'active';
  const pop = (): QueuedPod | undefined => {
    for (const priority of [...active.keys()].sort((a, b) => b - a)) {
      const next = active.get(priority)?.find(isReady);
      const line = active.get(priority) ?? [];
      const rest = next === undefined ? [] : line.slice(line.indexOf(next) + 1);
      if (rest.length === 0) active.delete(priority);
      else active.set(priority, rest);
      if (next !== undefined) return next;
    }
    return undefined;
  };
  return {
    size: () => waiting.size,
    get: (uid) => waiting.get(uid),
    add: (pod) => {
      const known = waiting.get(pod.metadata.uid);
      if (known !== undefined) {
        known.pod = pod;
        return;
      }
      added += 1;
      const queued: QueuedPod = {
        pod,
        order: added,
        attempts: 0,
        place: 'active',
        refusedBy: new Set(),
      };
      waiting.set(pod.metadata.uid, queued);
      activate(queued);
    },
    drop: (uid) => {
      waiting.delete(uid);
    },
    pop,
    retry: (queued) => {
      queued.place = 'backoff';
      clock.after(backoff(queued.attempts), () => {
        const isStill = waiting.get(queued.pod.metadata.uid) === queued;
        if (isStill && queued.place === 'backoff') activate(queued);
      });
    },
    park: (queued, refusedBy) => {
      queued.place = 'parked';
      queued.refusedBy = refusedBy;
    },
    wake: (concerns) => {
      for (const queued of waiting.values()) {
        if (queued.place === 'parked' && concerns(queued)) activate(queued);
      }
    },
  };
}

const backoff = (attempts: number): number =>
  Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, attempts - 1));
