import type { Action } from '#lib/model/plan.ts';

const LEASE_FREE: ReadonlySet<string> = new Set([
  'refreshMarket',
  'rememberMemory',
  'markUnavailable',
]);

/**
 * Whether an action is for who holds the Lease alone. What is ours alone, and written with care for
 * who else writes it, needs no Lease; nor does what is right whatever else is decided.
 */
export const needsLease = (action: Action): boolean =>
  !LEASE_FREE.has(action.kind) && !('needsNoLease' in action && action.needsNoLease);

/** What needs no Lease and is said beside the rounds that follow: in a storm it is a thousand events. */
export const isFreeNews = (action: Action): boolean =>
  action.kind === 'recordEvent' && !needsLease(action);
