import type { CallFate, CallFaults, SeamCall } from './call-faults.ts';

/** One call that something happens to: its caller dies, or it is disturbed. */
export interface Crash {
  /** Which call, counted from 1 over those that match `of`. */
  readonly at: number;
  readonly how: Exclude<CallFate, 'pass'>;
  /** A function's name, an actor's (provision/3), or a call's; absent: every call counts. */
  readonly of?: { readonly function?: string; readonly actor?: string; readonly name?: string };
}

/** A fault plan that also remembers which calls it was asked about. */
export interface FaultPlan extends CallFaults {
  /** Every call so far, in order: what a test enumerates to kill each once. */
  readonly calls: () => readonly SeamCall[];
  /** Calls that were struck so far, as "provision/3 CreateFleet (lost)". */
  readonly struck: () => readonly string[];
}

/**
 * A plan that lets every call pass but those that `crashes` name. With none it only counts: run a
 * story once, then once more for each call with `{ at: n, how: 'lost' }`; up to that call the two
 * runs are the same, since the same seed gives the same world.
 */
export function createFaultPlan(crashes: readonly Crash[] = []): FaultPlan {
  const heard: SeamCall[] = [];
  const struck: string[] = [];
  const counts = crashes.map(() => 0);
  return {
    calls: () => heard,
    struck: () => struck,
    on: (call) => {
      heard.push(call);
      let fate: CallFate = 'pass';
      for (const [index, crash] of crashes.entries()) {
        if (!matches(call, crash.of)) continue;
        const count = (counts[index] ?? 0) + 1;
        counts[index] = count;
        if (count === crash.at) fate = crash.how;
      }
      if (fate !== 'pass') struck.push(`${call.actor} ${call.name} (${nameOf(fate)})`);
      return fate;
    },
  };
}

const nameOf = (fate: CallFate): string => (typeof fate === 'string' ? fate : fate.how);

const matches = (call: SeamCall, of: Crash['of'] = {}): boolean =>
  (of.function === undefined || call.actor.startsWith(`${of.function}/`)) &&
  (of.actor === undefined || call.actor === of.actor) &&
  (of.name === undefined || call.name === of.name);
