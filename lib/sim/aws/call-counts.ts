/** How often operations were called, and by whom. */
export interface CallCounts {
  readonly note: (actor: string, name: string) => void;
  /** By operation, sorted by name; of one actor, or of all. */
  readonly sum: (actor?: string) => Readonly<Record<string, number>>;
}

/** Counts of nothing yet. */
export function createCallCounts(): CallCounts {
  const counts = new Map<string, Map<string, number>>();
  return {
    note: (actor, name) => {
      const byName = counts.get(actor) ?? new Map<string, number>();
      counts.set(actor, byName.set(name, (byName.get(name) ?? 0) + 1));
    },
    sum: (actor) => {
      const sum: Record<string, number> = {};
      for (const [caller, byName] of counts) {
        if (actor !== undefined && caller !== actor) continue;
        for (const [name, times] of byName) sum[name] = (sum[name] ?? 0) + times;
      }
      return Object.fromEntries(Object.entries(sum).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}
