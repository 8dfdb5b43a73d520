/** One call through one of the two seams, as a fault plan sees it. */
export interface SeamCall {
  /** Who calls: one invocation of one function, e.g. provision/3. */
  readonly actor: string;
  readonly seam: 'kube' | 'aws';
  /** What is called: an AWS operation (CreateFleet), or a verb and a resource (patch nodes). */
  readonly name: string;
}

/**
 * What becomes of a call. `pass`: it is performed and answered. `never`: its process was killed
 * before the call left, so nothing is performed and nothing is answered. `lost`: its process was
 * killed right after the call left, so it is performed and nobody hears the answer.
 */
export type CallFate = 'pass' | 'never' | 'lost';

/** Decides the fate of each call through a seam; asked exactly once for each, in order. */
export interface CallFaults {
  readonly on: (call: SeamCall) => CallFate;
}

/** A world in which every call is performed and answered. */
export const NO_CALL_FAULTS: CallFaults = { on: () => 'pass' };
