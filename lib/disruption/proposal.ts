import type { DisruptionReason } from '#lib/model/command.ts';
import { DISRUPTION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';

/** That a node is to go, as its NodeClaim's annotation remembers it between two looks. */
export interface Proposal {
  readonly reason: DisruptionReason;
  readonly proposedAt: EpochMs;
}

/** The version of the annotation's contents. Another one is not guessed at: it is proposed anew. */
const VERSION = 1;
/** How long a proposal must have stood before it is acted on. Source: karpenter v1.14, validation.go. */
const MIN_AGE_MS = 15_000;
/** A proposal that nobody came back to says nothing about the cluster of today. */
const MAX_AGE_MS = 5 * 60_000;

/** The annotation's value. */
export const writeProposal = ({ reason, proposedAt }: Proposal): string =>
  JSON.stringify({ v: VERSION, reason, proposedAt: formatInstant(proposedAt) });

/** What a NodeClaim's annotation proposes; undefined where it has none, or one of another kind. */
export function proposalOf({ meta }: NodeClaim, reason: DisruptionReason): Proposal | undefined {
  const written = parseJson(meta.annotations[DISRUPTION]);
  if (written.v !== VERSION || written.reason !== reason) return undefined;
  const proposedAt =
    typeof written.proposedAt === 'string' ? parseInstant(written.proposedAt) : undefined;
  return proposedAt === undefined ? undefined : { reason, proposedAt };
}

function parseJson(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether a proposal may be acted on, must stand a while longer, or is too old to mean anything. */
export function ageOf(
  { proposedAt }: Proposal,
  now: EpochMs,
): { readonly kind: 'ripe' | 'stale' } | { readonly kind: 'fresh'; readonly ripeInMs: number } {
  const age = now - proposedAt;
  if (age < 0 || age > MAX_AGE_MS) return { kind: 'stale' };
  return age >= MIN_AGE_MS ? { kind: 'ripe' } : { kind: 'fresh', ripeInMs: MIN_AGE_MS - age };
}
