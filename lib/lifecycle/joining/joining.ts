/** How often a node that is joining is looked at: often at first, then less, then by heartbeat. */
const PACE = [
  { untilMs: 2 * 60_000, everyMs: 5_000 },
  { untilMs: 5 * 60_000, everyMs: 15_000 },
];

/** When to look again at a node that has been joining for this long; absent: at a heartbeat. */
export function joiningLookMs(elapsedMs: number): { readonly lookAgainInMs?: number } {
  const pace = PACE.find(({ untilMs }) => elapsedMs < untilMs);
  return pace ? { lookAgainInMs: pace.everyMs } : {};
}
