import type { Timers } from '#lib/cli/local/timers.ts';
import { virtualClock } from '#lib/sim/clock.ts';

/** A virtual clock as `joinery local` takes one, and how time passes on it. */
export function someTimers(): {
  readonly timers: Timers;
  readonly pass: (ms: number) => Promise<void>;
} {
  const clock = virtualClock(0);
  return {
    timers: {
      now: clock.now,
      after: (ms, act) => {
        const timer = clock.after(ms, act);
        return () => timer.cancel();
      },
    },
    pass: async (ms) => {
      // A clock on which nothing is due stands still.
      clock.after(ms, () => undefined);
      await clock.run(() => false, clock.now() + ms);
    },
  };
}
