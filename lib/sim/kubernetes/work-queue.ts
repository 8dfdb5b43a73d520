import type { Clock } from '../clock.ts';

/** Work on things by name: each waits once, however often it was asked for. */
export interface WorkQueue {
  /** Asks for work on `key` after `ms`; an earlier ask stands if it comes first. */
  readonly add: (key: string, ms: number) => void;
}

/** A queue that calls `work` with each key when its time has come. */
export function createWorkQueue(clock: Clock, work: (key: string) => void): WorkQueue {
  const waiting = new Map<string, { readonly due: number; readonly cancel: () => void }>();
  return {
    add: (key, ms) => {
      const due = clock.now() + ms;
      const earlier = waiting.get(key);
      if (earlier !== undefined && earlier.due <= due) return;
      earlier?.cancel();
      const { cancel } = clock.at(due, () => {
        waiting.delete(key);
        work(key);
      });
      waiting.set(key, { due, cancel });
    },
  };
}
