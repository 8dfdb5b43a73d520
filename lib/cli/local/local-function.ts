import type { Remaining } from '#lib/runtime/middleware.ts';
import type { Timers } from './timers.ts';

/** A function of Joinery as a sandbox holds it once it has started. */
export type Handler = (event: unknown, context: Remaining) => Promise<unknown>;

/** A function that is served from this process. */
export interface LocalFunction {
  /** Runs it in a sandbox that is free, or a new one. Rejects where the handler does. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** Resolves when nothing runs any more. */
  readonly idle: () => Promise<void>;
}

/** What is served, and how. */
export interface LocalFunctionOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** Starts the code in a sandbox of its own, counted from 1. */
  readonly start: (sandbox: number) => Promise<Handler>;
  /** Hears of what flew past the handler. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/**
 * A function with sandboxes as Lambda has them: each runs one invocation at a time, keeps what it
 * remembers for the next, and has its own name on the Lease. Unlike Lambda's it cannot be ended
 * when its time is up; it only sees its time run out.
 */
export function serveFunction(options: LocalFunctionOptions): LocalFunction {
  const { name, timers, timeoutMs } = options;
  const free: Handler[] = [];
  const running = new Set<Promise<unknown>>();
  let sandboxes = 0;
  const startSandbox = (): Promise<Handler> => {
    sandboxes += 1;
    return options.start(sandboxes);
  };
  const run = async (event: unknown): Promise<unknown> => {
    const until = timers.now() + timeoutMs;
    const context = { getRemainingTimeInMillis: () => Math.max(0, until - timers.now()) };
    try {
      const handler = free.pop() ?? (await startSandbox());
      try {
        return await handler(event, context);
      } finally {
        free.push(handler);
      }
    } catch (error) {
      options.onFailure(name, error);
      throw error;
    }
  };
  return {
    invoke: (event) => {
      const invocation = run(event);
      const settled = invocation.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return invocation;
    },
    idle: async () => {
      await Promise.all(running);
    },
  };
}
