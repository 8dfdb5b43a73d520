import { compareText } from '#lib/constraints/order.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { CONSOLIDATED } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type EpochMs, formatInstant, parseInstant } from '#lib/model/time.ts';
import { objectIn } from './commands/record.ts';

/** That pods came to a node because another one went to save money. */
export interface MoveMemory {
  readonly at: EpochMs;
  /** Instance types of the nodes that they left, sorted. */
  readonly from: readonly string[];
  /** By digest of whoever makes them anew: when pods of his were moved within the hour before. */
  readonly owners: ReadonlyMap<string, readonly EpochMs[]>;
}

/** A move that is about to be made. */
export interface Move {
  readonly at: EpochMs;
  readonly from: readonly string[];
  readonly pods: readonly Pod[];
}

/** The version of the annotation's contents. Another one is not guessed at and counts as none. */
const VERSION = 1;
/** So long are pods that were moved left where they are. */
const REST_MS = 3_600_000;
/** So long does nothing go back to what it came from. */
const MEMORY_MS = 86_400_000;
const DIGEST_LENGTH = 7;

/**
 * The value of joinery.dev/consolidated on a NodeClaim that receives moved pods, with what it
 * remembers already. Owners are remembered for an hour: 35 bytes each.
 */
export function writeMemory({ at, from, pods }: Move, before?: MoveMemory): string {
  const owners = new Map(
    [...(before?.owners ?? [])].map(([owner, times]) => [
      owner,
      times.filter((then) => at - then < REST_MS),
    ]),
  );
  for (const owner of new Set(pods.flatMap(ownerOf))) {
    owners.set(owner, [...(owners.get(owner) ?? []), at]);
  }
  return JSON.stringify({
    v: VERSION,
    at: formatInstant(at),
    from: [...new Set([...from, ...(before?.from ?? [])])].sort(compareText),
    owners: Object.fromEntries(
      [...owners]
        .filter(([, times]) => times.length > 0)
        .sort(([a], [b]) => compareText(a, b))
        .map(([owner, times]) => [owner, times.map(formatInstant)]),
    ),
  });
}

/** What a NodeClaim remembers of moves; undefined where it received nobody, or long ago. */
export function memoryOf({ meta }: NodeClaim, now: EpochMs): MoveMemory | undefined {
  const written = objectIn(meta.annotations[CONSOLIDATED]);
  const at = instantOf(written.at);
  if (written.v !== VERSION || at === undefined || now - at >= MEMORY_MS || at > now) {
    return undefined;
  }
  const from = Array.isArray(written.from) ? written.from : [];
  const owners = Object.entries({ ...Object(written.owners) }).map(
    ([owner, times]) =>
      [owner, Array.isArray(times) ? times.flatMap((then) => instantOf(then) ?? []) : []] as const,
  );
  return { at, from: from.filter((each) => typeof each === 'string'), owners: new Map(owners) };
}

const instantOf = (value: unknown): EpochMs | undefined =>
  typeof value === 'string' ? parseInstant(value) : undefined;

/** Whoever makes a pod anew when it is evicted, as a digest of his uid. */
const ownerOf = ({ meta }: Pod): readonly string[] =>
  meta.owners
    .filter(({ controller }) => controller)
    .map(({ uid }) => shortDigest(uid, DIGEST_LENGTH));

/** Whether it remembers that pods of all these owners were moved, at `since` or later. */
export const remembersAll = (
  { owners }: MoveMemory,
  pods: readonly Pod[],
  since: EpochMs,
): boolean =>
  pods.flatMap(ownerOf).every((owner) => owners.get(owner)?.some((at) => at >= since - GRAIN_MS));

/**
 * Why the pods of a node are not moved again yet; undefined where they may be. A pod counts as moved
 * if it was made after pods of its owner were moved, within the hour since: kube-scheduler may put
 * it anywhere, so that the node which it was meant for says little.
 */
export function restingPods(pods: readonly Pod[], snapshot: Snapshot): string | undefined {
  const moves = recentMoves(snapshot);
  if (moves.size === 0) return undefined;
  for (const pod of pods) {
    for (const owner of ownerOf(pod)) {
      const at = moves.get(owner);
      const { createdAt, namespace, name } = pod.meta;
      if (at === undefined || createdAt < at - GRAIN_MS) continue;
      const minutes = Math.floor((snapshot.takenAt - createdAt) / 60_000);
      return `pod ${namespace}/${name} was moved ${minutes} min ago and is left alone for an hour`;
    }
  }
  return undefined;
}

/** Objects are dated to the second. */
const GRAIN_MS = 1_000;

// Asked for each of many nodes of one Snapshot; it follows from the Snapshot alone.
const known = new WeakMap<Snapshot, ReadonlyMap<string, EpochMs>>();

/** By owner: the first time within the hour that pods of his were moved. */
function recentMoves(snapshot: Snapshot): ReadonlyMap<string, EpochMs> {
  const before = known.get(snapshot);
  if (before) return before;
  const moves = new Map<string, EpochMs>();
  for (const { claim } of snapshot.nodes) {
    const memory = claim && memoryOf(claim, snapshot.takenAt);
    for (const [owner, times] of memory?.owners ?? []) {
      const recent = times.filter((at) => snapshot.takenAt - at < REST_MS);
      if (recent.length > 0) moves.set(owner, Math.min(...recent, moves.get(owner) ?? Infinity));
    }
  }
  known.set(snapshot, moves);
  return moves;
}
