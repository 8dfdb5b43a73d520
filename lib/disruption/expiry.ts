import { shortDigest } from '#lib/model/digest.ts';
import { REPLACE_BEFORE_EXPIRY } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { type EpochMs, parseDuration } from '#lib/model/time.ts';

/**
 * Whether a node is old enough to be replaced before it expires: an option of its NodePool
 * (joinery.dev/replace-before-expiry), which says how long before. Within that time each node has
 * an instant of its own that follows from its uid, so that nodes which were made together are not
 * replaced together. Where the option is absent or cannot be read, nodes expire as upstream has it:
 * deleted when their time is up, whatever runs there.
 */
export function isDueToBeReplaced(
  { meta, spec }: NodeClaim,
  pool: NodePool,
  now: EpochMs,
): boolean {
  const leadMs = leadOf(pool);
  if (leadMs === undefined || spec.expireAfter === 'Never') return false;
  // A node needs some of its life to itself, and replacing it takes some of the rest.
  const spreadMs = Math.min(leadMs, spec.expireAfter / 2) * SPREAD_SHARE;
  const begins = meta.createdAt + spec.expireAfter - Math.min(leadMs, spec.expireAfter / 2);
  return now >= begins + shareOf(meta.uid) * spreadMs;
}

/** Undefined where the option is absent, or no time. */
function leadOf({ meta }: NodePool): number | undefined {
  const leadMs = parseDuration(meta.annotations[REPLACE_BEFORE_EXPIRY] ?? '');
  return leadMs !== undefined && leadMs > 0 ? leadMs : undefined;
}

/** What is wrong with the option of a NodePool, for a person; undefined where nothing. */
export function leadProblem(pool: NodePool): string | undefined {
  const text = pool.meta.annotations[REPLACE_BEFORE_EXPIRY];
  return text === undefined || leadOf(pool) !== undefined
    ? undefined
    : `${REPLACE_BEFORE_EXPIRY}: expected a time such as 24h, found "${text}": no node is replaced before it expires`;
}

/** The rest of the lead is left for replacing the last of them. */
const SPREAD_SHARE = 0.75;
const DIGITS = 6;

/** A number from 0 to 1 that follows from a uid alone, all equally likely. */
const shareOf = (uid: string): number =>
  Number.parseInt(shortDigest(uid, DIGITS), 36) / 36 ** DIGITS;
