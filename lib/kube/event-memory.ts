import type { EpochMs } from '#lib/model/time.ts';

/** The same again within this time is one event. Source: karpenter v1.14, events/recorder.go. */
export const QUIET_MS = 120_000;

/**
 * Which events a process has recorded lately, so that a look which finds what the one before found
 * need not ask the API server about it. Losing it costs calls, nothing else: an event's name is
 * fixed by what it says.
 */
export interface EventMemory {
  /** Whether the event of this key was recorded less than two minutes before `now`. */
  readonly isRecent: (key: string, now: EpochMs) => boolean;
  readonly note: (key: string, recordedAt: EpochMs) => void;
}

/** A memory of nothing, for a process that has just begun. It forgets what is two minutes old. */
export function createEventMemory(): EventMemory {
  const recordedAt = new Map<string, EpochMs>();
  return {
    isRecent: (key, now) => {
      for (const [old, at] of recordedAt) {
        if (now - at < QUIET_MS) break;
        recordedAt.delete(old);
      }
      const at = recordedAt.get(key);
      return at !== undefined && now - at < QUIET_MS;
    },
    note: (key, at) => {
      recordedAt.delete(key);
      recordedAt.set(key, at);
    },
  };
}
