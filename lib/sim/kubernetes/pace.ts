import type { Clock } from '../clock.ts';

/** A client's own limit of requests a second, with a burst of twice as many. */
export interface Pace {
  /** Does `task` as soon as a request may be sent; in the order of asking. */
  readonly whenFree: (task: () => void) => void;
  /** Counts a request that is sent now. */
  readonly spend: () => void;
}

/** A limit of `perSecond`. Source: client-go, flowcontrol, token bucket. */
export function createPace(clock: Clock, perSecond: number): Pace {
  const most = perSecond * 2;
  const waiting: (() => void)[] = [];
  let tokens = most;
  let filledAt = clock.now();

  const fill = (): void => {
    tokens = Math.min(most, tokens + ((clock.now() - filledAt) * perSecond) / 1000);
    filledAt = clock.now();
  };
  const serve = (): void => {
    fill();
    while (tokens >= 1 && waiting.length > 0) waiting.shift()?.();
    if (waiting.length === 0) return;
    clock.after(Math.ceil(((1 - tokens) * 1000) / perSecond), serve);
  };
  return {
    whenFree: (task) => {
      fill();
      waiting.push(task);
      if (waiting.length === 1) serve();
    },
    spend: () => {
      fill();
      tokens -= 1;
    },
  };
}
