import { compareText } from '#lib/constraints/order.ts';
import { CONSOLIDATED } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { objectIn } from './commands/record.ts';

/** That pods came to a node because another one went to save money. */
export interface MoveMemory {
  readonly at: EpochMs;
  /** Instance types of the nodes that they left, sorted. */
  readonly from: readonly string[];
}

/** The version of the annotation's contents. Another one is not guessed at and counts as none. */
const VERSION = 1;
/** So long are pods that were moved left where they are. */
const REST_MS = 3_600_000;
/** So long does nothing go back to what it came from. */
const MEMORY_MS = 86_400_000;

/** The value of joinery.dev/consolidated on a NodeClaim that receives moved pods. */
export const writeMemory = ({ at, from }: MoveMemory): string =>
  JSON.stringify({
    v: VERSION,
    at: formatInstant(at),
    from: [...new Set(from)].sort(compareText),
  });

/** What a NodeClaim remembers of moves; undefined where it received nobody, or long ago. */
export function memoryOf({ meta }: NodeClaim, now: EpochMs): MoveMemory | undefined {
  const written = objectIn(meta.annotations[CONSOLIDATED]);
  const at = typeof written.at === 'string' ? parseInstant(written.at) : undefined;
  if (written.v !== VERSION || at === undefined || now - at >= MEMORY_MS || at > now) {
    return undefined;
  }
  const from = Array.isArray(written.from) ? written.from : [];
  return { at, from: from.filter((each) => typeof each === 'string') };
}

/** Why a node's pods are not moved again yet; undefined where they may be. */
export function restingSince(claim: NodeClaim, now: EpochMs): string | undefined {
  const memory = memoryOf(claim, now);
  if (!memory || now - memory.at >= REST_MS) return undefined;
  const minutes = Math.floor((now - memory.at) / 60_000);
  return `pods were moved to it ${minutes} min ago and are left alone for an hour`;
}
