import type { HeldLease } from '#lib/kube/lease.ts';
import type { Shell } from './shell.ts';

/** Well within the third of its time after which a Lease is renewed when it is asked about. */
const RENEW_EVERY_MS = 4_000;
/** Turns are over long before. */
const MAX_RENEWALS = 300;

/**
 * Does `work` and renews the Lease meanwhile: to read a large cluster takes longer than the Lease
 * lasts, and whoever took it over in that time would read for as long, in vain like the first.
 * Whether it is still ours is asked before each write all the same.
 */
export async function keepingLease<Value>(
  { sleep }: Pick<Shell, 'sleep'>,
  lease: Pick<HeldLease, 'isOurs'>,
  work: () => Promise<Value>,
): Promise<Value> {
  let isOver = false;
  const renew = async (): Promise<void> => {
    for (let times = 0; times < MAX_RENEWALS; times += 1) {
      await sleep(RENEW_EVERY_MS);
      if (isOver || !(await lease.isOurs())) return;
    }
  };
  // What cannot be renewed is noticed by the next write, which asks again.
  renew().catch(() => undefined);
  try {
    return await work();
  } finally {
    isOver = true;
  }
}
