/** A call through one of the two seams, as whoever injects faults sees it before it is made. */
export interface SeamCall {
  /** Who calls: a function's name, or a part of the embedded world. */
  readonly actor: string;
  readonly seam: 'kube' | 'aws';
  /** What is called: "patch nodeclaims/status", "create pods/eviction", "CreateFleet". */
  readonly name: string;
}

/**
 * What the API server or the way to it does to a call whose caller lives on. answer: it is refused
 * with this status. cut: the connection breaks before or after it was performed. stale: a list is
 * answered as the same question was answered this sandbox before, if it ever was.
 */
export type Disturbance =
  | { readonly how: 'answer'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly how: 'cut'; readonly performed: boolean }
  | { readonly how: 'stale' };

/**
 * What becomes of a call: it passes; or its caller was killed just before it (`never`: not
 * performed, the promise never settles) or just after it (`lost`: performed, never answered); or
 * its caller is frozen for so long, with all its clocks, and then makes it; or, of calls to the API
 * server only, it is disturbed.
 */
export type CallFate =
  | 'pass'
  | 'never'
  | 'lost'
  | { readonly how: 'frozen'; readonly ms: number }
  | Disturbance;

/** Decides the fate of each call, in the order in which calls are made. */
export interface CallFaults {
  readonly on: (call: SeamCall) => CallFate;
  /** By how much the clock of a function's sandboxes is ahead; not at all where absent. */
  readonly skewMs?: (functionName: string) => number;
}
