import { at } from './cast.ts';
import { counted } from './counted.ts';

/** What is told of an instance here. */
interface Machine {
  readonly id: string;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated';
}

/**
 * Whether every living instance is that of exactly one NodeClaim, and every NodeClaim that is to
 * stay has a living one. One that is being deleted may have lost its instance already.
 */
export function matchInstances(
  machines: readonly Machine[],
  nodeClaims: readonly unknown[],
): { readonly ok: boolean; readonly found: string } {
  const living = machines.filter(({ state }) => state === 'pending' || state === 'running');
  const ids = new Set(living.map(({ id }) => id));
  const claimed = nodeClaims.map((claim) => ({
    id:
      String(at(claim, 'status', 'providerID'))
        .split('/')
        .at(-1) ?? '',
    isGoing: at(claim, 'metadata', 'deletionTimestamp') !== undefined,
  }));
  const taken = claimed.filter(({ id }) => ids.has(id));
  const bereft = claimed.filter(({ id, isGoing }) => !isGoing && !ids.has(id));
  const ok =
    bereft.length === 0 &&
    taken.length === living.length &&
    new Set(taken.map(({ id }) => id)).size === living.length;
  return {
    ok,
    found: `${counted(living.length, 'instance')}, ${counted(nodeClaims.length, 'NodeClaim')}`,
  };
}
