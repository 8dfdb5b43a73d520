import type { EpochMs } from '#lib/model/time.ts';

/** The clock of `joinery local`, so that a test can have another. */
export interface Timers {
  readonly now: () => EpochMs;
  /** Calls `act` after so many milliseconds; the answer calls it off. */
  readonly after: (ms: number, act: () => void) => () => void;
}

/** The machine's own clock. */
export const realTimers: Timers = {
  now: Date.now,
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
