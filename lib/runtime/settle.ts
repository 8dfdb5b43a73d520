import { decodeMeta } from '#lib/kube/decode-meta.ts';
import { wire } from '#lib/kube/field.ts';
import { listAll } from '#lib/kube/list.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Shell } from './shell.ts';

/** A burst is over when a second passes without a new pod. Source: karpenter, BATCH_IDLE_DURATION. */
const IDLE_MS = 1_000;
/** A burst is not waited for any longer. Source: karpenter, BATCH_MAX_DURATION. */
const MAX_MS = 10_000;

/**
 * Waits while new pods without a node keep coming, so that one plan is made for a whole burst.
 * Pods that have waited for longer than a burst can last are not waited for.
 */
export async function settle(shell: Shell, until: EpochMs): Promise<void> {
  const deadline = Math.min(shell.now() + MAX_MS, until);
  let known = await freshPods(shell);
  while (known.size > 0 && shell.now() + IDLE_MS < deadline) {
    await shell.sleep(IDLE_MS);
    const seen = await freshPods(shell);
    const isQuiet = [...seen].every((uid) => known.has(uid));
    if (isQuiet) return;
    known = seen;
  }
}

/** The uids of the pods that were made within the last burst's length and have no node. */
async function freshPods(shell: Shell): Promise<ReadonlySet<string>> {
  const fresh = new Set<string>();
  await listAll(shell.kube, { kind: 'Pod', fieldSelector: 'spec.nodeName=' }, (item) => {
    const { uid, createdAt } = decodeMeta(wire(item));
    if (createdAt >= shell.now() - MAX_MS) fresh.add(uid);
  });
  return fresh;
}
