import { DISRUPTION_BACK_OFF } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { objectIn, recordOf } from './record.ts';

/** That a command about a node came to nothing, and until when none is tried again. */
interface BackOff {
  readonly failures: number;
  readonly until: EpochMs;
  readonly because: string;
  /** The command's id; absent where nobody could tell. */
  readonly command?: string;
}

/** Why a command came to nothing. */
export interface Failure {
  readonly because: string;
  /** What was to replace it could not be launched. */
  readonly isFruitless?: true;
}

const VERSION = 1;
const FIRST_MS = 2 * 60_000;
/** As long as capacity that was sold out is not asked for again, and longer. */
const FRUITLESS_FIRST_MS = 30 * 60_000;
const LONGEST_MS = 60 * 60_000;

/**
 * The annotation's value after one more failure: two minutes, or half an hour where a launch found
 * no capacity, then twice as long each time, an hour at most. A node that was left alone for an hour
 * after the last one begins anew.
 */
export function writeBackOff(
  claim: NodeClaim,
  { because, isFruitless }: Failure,
  now: EpochMs,
): string {
  const before = backOffOf(claim);
  const isOld = before === undefined || now > before.until + LONGEST_MS;
  const failures = isOld ? 1 : before.failures + 1;
  const firstMs = isFruitless ? FRUITLESS_FIRST_MS : FIRST_MS;
  const until = now + Math.min(LONGEST_MS, firstMs * 2 ** (failures - 1));
  const command = recordOf(claim)?.id;
  return JSON.stringify({
    v: VERSION,
    failures,
    until: formatInstant(until),
    because,
    ...(command !== undefined && { command }),
  });
}

/** The last command about the node that came to nothing, and why; undefined where none is known. */
export function lastGivenUp(
  claim: NodeClaim,
): { readonly command: string; readonly because: string } | undefined {
  const { command, because } = backOffOf(claim) ?? {};
  return command === undefined || because === undefined ? undefined : { command, because };
}

/** Why a node is not disrupted yet, for a person; undefined where nothing speaks against it. */
export function heldBack(claim: NodeClaim, now: EpochMs): string | undefined {
  const backOff = backOffOf(claim);
  if (backOff === undefined || now >= backOff.until) return undefined;
  return `not before ${formatInstant(backOff.until)}: ${backOff.because}`;
}

function backOffOf({ meta }: NodeClaim): BackOff | undefined {
  const { v, failures, until, because, command } = objectIn(meta.annotations[DISRUPTION_BACK_OFF]);
  const at = typeof until === 'string' ? parseInstant(until) : undefined;
  if (v !== VERSION || typeof failures !== 'number' || at === undefined) return undefined;
  return {
    failures,
    until: at,
    because: typeof because === 'string' ? because : 'it failed',
    ...(typeof command === 'string' && { command }),
  };
}
