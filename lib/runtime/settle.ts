import { decodeConditions, decodeMeta } from '#lib/kube/decode-meta.ts';
import { group, wire } from '#lib/kube/field.ts';
import { listAll } from '#lib/kube/list.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Shell } from './shell.ts';

/** A burst is over when a second passes without a new pod. Source: karpenter, BATCH_IDLE_DURATION. */
const IDLE_MS = 1_000;
/** A burst is not waited for any longer. Source: karpenter, BATCH_MAX_DURATION. */
const MAX_MS = 10_000;

/**
 * Waits while new pods without a node keep coming, so that one plan is made for a whole burst.
 * Pods that have waited for longer than a burst can last are not waited for. Where the burst was
 * `seen` before, nothing is waited for unless it has gone on since.
 */
export async function settle(
  shell: Shell,
  until: EpochMs,
  seen?: ReadonlySet<string>,
): Promise<void> {
  const deadline = Math.min(shell.now() + MAX_MS, until);
  let known = await freshPods(shell);
  if (seen !== undefined && [...known].every((uid) => seen.has(uid))) return;
  while (known.size > 0 && shell.now() + IDLE_MS < deadline) {
    await shell.sleep(IDLE_MS);
    const now = await freshPods(shell);
    const isQuiet = [...now].every((uid) => known.has(uid));
    if (isQuiet) return;
    known = now;
  }
}

/** What of a pod tells whether a burst goes on. */
interface BurstPod {
  readonly meta: Pick<Pod['meta'], 'uid'>;
  readonly scheduled?: { readonly status: string };
}

/** A pod by what a plan would make of it: one that the scheduler has given up on is news. */
export const burstKey = ({ meta, scheduled }: BurstPod): string =>
  `${meta.uid} ${scheduled?.status ?? ''}`;

/** The pods without a node that were made, or found no place, within the last burst's length. */
async function freshPods(shell: Shell): Promise<ReadonlySet<string>> {
  const fresh = new Set<string>();
  const since = shell.now() - MAX_MS;
  await listAll(shell.kube, { kind: 'Pod', fieldSelector: 'spec.nodeName=' }, (item) => {
    const pod = wire(item);
    const meta = decodeMeta(pod);
    const conditions = decodeConditions(group(pod, 'status'), meta.createdAt);
    const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
    if (meta.createdAt < since && (scheduled?.changedAt ?? 0) < since) return;
    fresh.add(burstKey({ meta, ...(scheduled && { scheduled }) }));
  });
  return fresh;
}
