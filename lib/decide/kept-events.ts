import type { Blocked } from '#lib/disruption/candidates.ts';
import type { StateNode } from '#lib/model/node.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** What keeps a node from being disrupted for whatever reason. */
const BLOCKED = new Set(['node', 'nominated', 'do-not-disrupt', 'nodePool', 'pdb']);
/** What keeps it from being consolidated. */
const UNCONSOLIDATABLE = new Set([
  'buffer',
  'consolidationPolicy',
  'hysteresis',
  'instanceType',
  'labels',
  'limits',
  'minValues',
  'price',
  'scheduling',
  'spot-to-spot',
]);

const MINUTE_MS = 60_000;
/** Told again after so many minutes. Source: karpenter v1.14, disruption/events.go. */
const EVERY_MINUTES = 15;
/** The minute of these in which it is told: consolidation looks once a minute. */
const TELLING_MINUTE = 7;
/** As many nodes are told of at once, by name. */
const MOST_TOLD = 100;

/**
 * What Nodes and NodeClaims are told that stay: once in 15 minutes, without anybody remembering when
 * that was. What passes by itself, such as a budget that is used up, is not told, nor what the policy
 * Balanced refuses.
 *
 * Source: karpenter v1.14, disruption/events.go, Blocked and Unconsolidatable.
 */
export function keptEvents(
  kept: readonly { readonly state: StateNode; readonly why: Blocked }[],
  now: EpochMs,
): readonly Action[] {
  if (Math.floor(now / MINUTE_MS) % EVERY_MINUTES !== TELLING_MINUTE) return [];
  return kept
    .flatMap(({ state, why }) => {
      const reason = reasonOf(why);
      return reason === undefined ? [] : [{ state, reason, message: why.because }];
    })
    .slice(0, MOST_TOLD)
    .flatMap(({ state: { node, claim }, reason, message }) => [
      ...(node ? [event(nodeRef(node), reason, message)] : []),
      ...(claim ? [event(claimRef(claim), reason, message)] : []),
    ]);
}

function reasonOf({ by }: Blocked): string | undefined {
  if (BLOCKED.has(by)) return 'DisruptionBlocked';
  return UNCONSOLIDATABLE.has(by) ? 'Unconsolidatable' : undefined;
}

const event = (about: ReturnType<typeof claimRef>, reason: string, message: string): Action => ({
  kind: 'recordEvent',
  about,
  type: 'Normal',
  reason,
  // A note is at most 1 kB. Source: kubernetes v1.36, apis/core/validation/events.go.
  message: message.length > 1_000 ? `${message.slice(0, 999)}…` : message,
});
