import type { CommandReason } from '#lib/model/command.ts';
import { DISRUPTION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';

/** A command as each of its members remembers it, in an annotation of the NodeClaim. */
export interface CommandRecord {
  readonly id: string;
  readonly reason: CommandReason;
  /** Uids of the NodeClaims that go, sorted. */
  readonly members: readonly string[];
  readonly proposedAt: EpochMs;
  /** For whoever reads along. */
  readonly podsMoved: number;
  readonly savesUsdPerHour: number;
  /** Set once the command was found sound again on a later Snapshot: from then on it is carried out. */
  readonly validated?: {
    readonly at: EpochMs;
    /** Names of the NodeClaims that come first, sorted. */
    readonly replacements: readonly string[];
  };
  /** When all replacements had been created; one that is missing after that came to nothing. */
  readonly waitingSince?: EpochMs;
}

/** The version of the annotation's contents. What bears another is not guessed at: it is released. */
const VERSION = 2;

/** The annotation's value. The same record gives the same text. */
export const writeRecord = (record: CommandRecord): string =>
  JSON.stringify({
    v: VERSION,
    id: record.id,
    reason: record.reason,
    members: record.members,
    proposedAt: formatInstant(record.proposedAt),
    podsMoved: record.podsMoved,
    savesUsdPerHour: record.savesUsdPerHour,
    ...(record.validated && {
      validatedAt: formatInstant(record.validated.at),
      replacements: record.validated.replacements,
    }),
    ...(record.waitingSince !== undefined && { waitingSince: formatInstant(record.waitingSince) }),
  });

/** What a NodeClaim remembers; undefined where it remembers nothing, or nothing of this version. */
export function recordOf({ meta }: Pick<NodeClaim, 'meta'>): CommandRecord | undefined {
  const written = objectIn(meta.annotations[DISRUPTION]);
  const { id, members, podsMoved, savesUsdPerHour } = written;
  const reason = REASONS.find((each) => each === written.reason);
  const proposedAt = instantOf(written.proposedAt);
  if (written.v !== VERSION || typeof id !== 'string' || reason === undefined) return undefined;
  if (!isTextList(members) || members.length === 0 || proposedAt === undefined) return undefined;
  const validatedAt = instantOf(written.validatedAt);
  const waitingSince = instantOf(written.waitingSince);
  const { replacements } = written;
  return {
    id,
    reason,
    members,
    proposedAt,
    podsMoved: typeof podsMoved === 'number' ? podsMoved : 0,
    savesUsdPerHour: typeof savesUsdPerHour === 'number' ? savesUsdPerHour : 0,
    ...(validatedAt !== undefined &&
      isTextList(replacements) && { validated: { at: validatedAt, replacements } }),
    ...(waitingSince !== undefined && { waitingSince }),
  };
}

const REASONS: readonly CommandReason[] = ['Drifted', 'Empty', 'Expired', 'Underutilized'];

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const instantOf = (value: unknown): EpochMs | undefined =>
  typeof value === 'string' ? parseInstant(value) : undefined;

/** The JSON object that a text holds; an empty one where it holds none. */
export function objectIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
