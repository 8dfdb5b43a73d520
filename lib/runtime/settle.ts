import { decodeConditions, decodeMeta } from '#lib/kube/decode/decode-meta.ts';
import { group, wire } from '#lib/kube/decode/field.ts';
import { listAll } from '#lib/kube/list.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Shell } from './shell.ts';

/** A burst is over when a second passes without a new pod. Source: karpenter, BATCH_IDLE_DURATION. */
const IDLE_MS = 1_000;
/** A burst is not waited for any longer. Source: karpenter, BATCH_MAX_DURATION. */
const MAX_MS = 10_000;

/** What of a pod tells whether a burst goes on. */
interface BurstPod {
  readonly meta: Pick<Pod['meta'], 'uid'>;
  readonly scheduled?: { readonly status: string };
}

/** What has been looked at before; what becomes of it is no news. */
interface Gathered {
  /** Whether a plan had a place, or a refusal, for it. */
  readonly isTold: (pod: BurstPod) => boolean;
  /** Whether it is as it was seen, too. */
  readonly isKnown: (pod: BurstPod) => boolean;
}

// What this sandbox planned for at its last look. Losing it costs a second's wait.
const gatheredAt = new WeakMap<Shell['kube'], Gathered>();

/**
 * Waits while new pods without a node keep coming, so that one plan is made for a whole burst.
 * Those that were planned for are not waited for, nor those that are older than a burst can last,
 * nor that kube-scheduler gives up on one after the other of those that are there.
 */
export async function settle(shell: Shell, until: EpochMs): Promise<void> {
  const gathered = gatheredAt.get(shell.kube);
  await waitForQuiet(shell, until, ({ isYoung, pod }) => isYoung && !gathered?.isTold(pod));
}

/**
 * Waits as long again where pods have come since the last look, or turned out to need a node for
 * which its plan had no place: what is on its way for the others is not held up by it.
 */
export async function settleAgain(shell: Shell, until: EpochMs): Promise<void> {
  const gathered = gatheredAt.get(shell.kube);
  await waitForQuiet(shell, until, ({ pod }) => gathered?.isKnown(pod) === false);
}

async function waitForQuiet(
  shell: Shell,
  until: EpochMs,
  isNews: (fresh: FreshPod) => boolean,
): Promise<void> {
  const deadline = Math.min(shell.now() + MAX_MS, until);
  const news = async (): Promise<ReadonlySet<string>> =>
    new Set((await freshPods(shell)).filter(isNews).map(({ pod }) => pod.meta.uid));
  let known = await news();
  while (known.size > 0 && shell.now() + IDLE_MS < deadline) {
    await shell.sleep(IDLE_MS);
    const now = await news();
    const isQuiet = [...now].every((uid) => known.has(uid));
    if (isQuiet) return;
    known = now;
  }
}

/** Remembers what a plan has places for, or a refusal, and what else its Snapshot holds. */
export function noteGathered(shell: Shell, plan: Plan, snapshot: Snapshot): void {
  const told = new Set([
    ...plan.placements.map(({ pod }) => pod),
    ...plan.nodeClaims.flatMap(({ pods }) => pods),
    ...plan.refused.map(({ pod }) => pod),
  ]);
  const seen = new Map(
    snapshot.pods.map((pod) => [pod.meta.uid, told.has(nameOf(pod)) ? TOLD : statusOf(pod)]),
  );
  const isTold = ({ meta }: BurstPod): boolean => seen.get(meta.uid) === TOLD;
  gatheredAt.set(shell.kube, {
    isTold,
    isKnown: (pod) => isTold(pod) || seen.get(pod.meta.uid) === statusOf(pod),
  });
}

const TOLD = 'told';
/** As plans name pods. */
const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;
const statusOf = ({ scheduled }: BurstPod): string => scheduled?.status ?? '';

/** A pod of a burst, and whether it was made within its length. */
interface FreshPod {
  readonly pod: BurstPod;
  readonly isYoung: boolean;
}

/** The pods without a node that were made, or found no place, within the last burst's length. */
async function freshPods(shell: Shell): Promise<readonly FreshPod[]> {
  const fresh: FreshPod[] = [];
  const since = shell.now() - MAX_MS;
  await listAll(shell.kube, { kind: 'Pod', fieldSelector: 'spec.nodeName=' }, (item) => {
    const found = wire(item);
    const meta = decodeMeta(found);
    const conditions = decodeConditions(group(found, 'status'), meta.createdAt);
    const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
    const isYoung = meta.createdAt >= since;
    if (!isYoung && (scheduled?.changedAt ?? 0) < since) return;
    fresh.push({ pod: { meta, ...(scheduled && { scheduled }) }, isYoung });
  });
  return fresh;
}
