/** Milliseconds since 1970-01-01T00:00:00Z, of the embedded world. */
export type Instant = number;

/** Time in the embedded world: it stands still while anything runs, and jumps to what is next. */
export interface Clock {
  readonly now: () => Instant;
  /** Runs `task` at `at` (now, if that is past); what is due at one instant runs in this order. */
  readonly at: (at: Instant, task: () => void) => { readonly cancel: () => void };
  readonly after: (ms: number, task: () => void) => { readonly cancel: () => void };
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Lets time pass until `done` says so, nothing is left to happen, or `deadline` has come.
   * Tells which. Between two instants it waits until every promise that can settle has settled.
   */
  readonly run: (done: () => boolean, deadline: Instant) => Promise<'done' | 'idle' | 'deadline'>;
}

interface Task {
  readonly at: Instant;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

interface Timeline {
  readonly queue: Task[];
  now: Instant;
  scheduled: number;
}

/** A clock that starts at `start`. Adding and taking a task cost O(log n) of those waiting. */
export function virtualClock(start: Instant): Clock {
  const timeline: Timeline = { queue: [], now: start, scheduled: 0 };
  const at: Clock['at'] = (when, run) => schedule(timeline, when, run);
  const after: Clock['after'] = (ms, task) => at(timeline.now + ms, task);
  return {
    now: () => timeline.now,
    at,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    run: (done, deadline) => run(timeline, done, deadline),
  };
}

function schedule(timeline: Timeline, when: Instant, run: () => void): { cancel: () => void } {
  const at = Math.max(when, timeline.now);
  const task: Task = { at, order: timeline.scheduled, run, cancelled: false };
  timeline.scheduled += 1;
  push(timeline.queue, task);
  return {
    cancel: () => {
      task.cancelled = true;
    },
  };
}

async function run(
  timeline: Timeline,
  done: () => boolean,
  deadline: Instant,
): Promise<'done' | 'idle' | 'deadline'> {
  for (;;) {
    await settled();
    if (done()) return 'done';
    const next = timeline.queue[0];
    if (next === undefined) return 'idle';
    if (next.at > deadline) break;
    pop(timeline.queue);
    timeline.now = next.at;
    if (!next.cancelled) next.run();
  }
  timeline.now = deadline;
  return 'deadline';
}

/** Resolves when no promise is left that can settle without time passing or I/O. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const isBefore = (a: Task, b: Task): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Task[], task: Task): void {
  let child = heap.length;
  heap.push(task);
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const above = heap[parent] as Task;
    if (!isBefore(task, above)) break;
    heap[child] = above;
    child = parent;
  }
  heap[child] = task;
}

function pop(heap: Task[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const lesser =
      right < heap.length && isBefore(heap[right] as Task, heap[left] as Task) ? right : left;
    const below = heap[lesser] as Task;
    if (!isBefore(below, last)) break;
    heap[parent] = below;
    parent = lesser;
  }
  heap[parent] = last;
}
