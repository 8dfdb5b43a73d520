import { isDaemon, isTerminal } from '#lib/consent/pod-state.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { setDigest } from '#lib/model/digest.ts';
import { PODS_SEEN } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Source: karpenter v1.14, nodeclaim/podevents/controller.go, dedupeTimeout. */
const DEDUPE_MS = 10_000;

/** What a look makes of the pods of a NodeClaim's Node. */
interface PodEvents {
  readonly step: ClaimStep;
  /**
   * When pods last came or left, this look's news included; undefined where they never did. A
   * NodeClaim that was not looked at before, such as one of Karpenter's, is taken at its word.
   */
  readonly lastAt: EpochMs | undefined;
}

/**
 * Notices that pods came to, left or changed on a NodeClaim's Node, and since when nothing has.
 *
 * Upstream watches pods. Here each look compares the pods with a digest of those that the look
 * before saw, kept as an annotation, because a pod that is gone leaves no other trace; an event
 * is dated by the look that notices it, so never too early. A pod that is bound, finished,
 * asked to go, or gone counts; DaemonSets' pods do not.
 */
export function podEvents(claim: NodeClaim, around: Surroundings): PodEvents {
  const stored = claim.status.lastPodEventAt;
  const [state] = nodesOf(around, claim);
  if (!state) return { step: NO_STEP, lastAt: stored };
  const digest = digestOf(state.pods);
  const seen = claim.meta.annotations[PODS_SEEN];
  if (seen === digest) return { step: NO_STEP, lastAt: stored };
  const isUnheardOf = seen === undefined && (stored !== undefined || digest === NO_PODS);
  const isOneWithLast = stored !== undefined && around.now - stored < DEDUPE_MS;
  const lastAt = isUnheardOf || isOneWithLast ? stored : around.now;
  return {
    step: {
      meta: { annotations: { [PODS_SEEN]: digest } },
      ...(lastAt === undefined ? {} : { status: { lastPodEventAt: lastAt } }),
    },
    lastAt,
  };
}

/** What stands for a node without pods. */
const NO_PODS = 'none';

function digestOf(pods: readonly Pod[]): string {
  const counted = pods.flatMap((pod) => {
    if (isDaemon(pod) || isTerminal(pod)) return [];
    return pod.meta.deletedAt === undefined ? pod.meta.uid : `${pod.meta.uid} terminating`;
  });
  return counted.length === 0 ? NO_PODS : setDigest(counted);
}
