/** A call through one of the two seams, as whoever injects faults sees it before it is made. */
export interface SeamCall {
  /** Who calls: a function's name, or a part of the embedded world. */
  readonly actor: string;
  readonly seam: 'kube' | 'aws';
  /** What is called: "patch nodeclaims/status", "create pods/eviction", "CreateFleet". */
  readonly name: string;
}

/**
 * What becomes of a call: it passes; or its caller was killed just before it (`never`: not
 * performed, the promise never settles) or just after it (`lost`: performed, never answered).
 */
export type CallFate = 'pass' | 'never' | 'lost';

/** Decides the fate of each call, in the order in which calls are made. */
export interface CallFaults {
  readonly on: (call: SeamCall) => CallFate;
}
