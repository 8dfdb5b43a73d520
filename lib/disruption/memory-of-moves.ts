import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import { shortDigest } from '#lib/model/digest.ts';
import { CONSOLIDATED } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
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
  /** By digest of whoever makes them anew: moves of his pods within the hour before. */
  readonly owners: ReadonlyMap<string, readonly Moved[]>;
}

/** That a command moved so many pods of one owner. */
export interface Moved {
  readonly at: EpochMs;
  readonly pods: number;
  /** The id of the command; empty where nobody wrote it down. */
  readonly by: string;
}

/** A move that is about to be made. */
export interface Move {
  /** The id of the command. */
  readonly by: string;
  readonly at: EpochMs;
  readonly from: readonly string[];
  readonly pods: readonly Pod[];
}

/**
 * The version of the annotation's contents. Another one is not guessed at and counts as none:
 * version 1 did not say how many pods were moved.
 */
const VERSION = 2;
/** So long are pods that were moved left where they are. */
const REST_MS = 3_600_000;
/** So long does nothing go back to what it came from. */
const MEMORY_MS = 86_400_000;
/** What a command remembered longer ago it writes anew: pods rest from then on. */
const KNOWN_MS = 5 * 60_000;
const DIGEST_LENGTH = 7;

/**
 * The value of joinery.dev/consolidated on a NodeClaim that receives moved pods, with what it
 * remembers already, and the moves that nodes remember which go. Owners are remembered for an hour:
 * 55 bytes each.
 */
export function writeMemory(
  { by, at, from, pods }: Move,
  before?: MoveMemory,
  inherited: readonly MoveMemory[] = [],
): string {
  const owners = new Map<string, readonly Moved[]>();
  const add = (owner: string, move: Moved): void => {
    owners.set(owner, [...(owners.get(owner) ?? []), move]);
  };
  for (const memory of [...(before ? [before] : []), ...inherited]) {
    for (const [owner, move] of movesIn(memory, at)) add(owner, move);
  }
  for (const [owner, own] of Map.groupBy(pods.filter(isMadeAnew), ownerOf)) {
    add(owner, { at, pods: own.length, by });
  }
  return JSON.stringify({
    v: VERSION,
    at: formatInstant(at),
    from: [...new Set([...from, ...(before?.from ?? [])])].sort(compareText),
    owners: Object.fromEntries(
      [...owners]
        .sort(([a], [b]) => compareText(a, b))
        .map(([owner, moves]) => [owner, eachOnce(moves).map(writeMoved)]),
    ),
  });
}

/**
 * Each move of an owner's pods once, the oldest first, however many nodes remember it. What a command
 * wrote anew long after counts besides: nodes of its may have gone in between.
 */
function eachOnce(moves: readonly Moved[]): readonly Moved[] {
  const found: Moved[] = [];
  for (const move of moves.toSorted(byTime)) {
    const at = found.findLastIndex((each) => isSame(each, move));
    const known = found[at];
    if (known) found[at] = { ...known, pods: Math.max(known.pods, move.pods) };
    else found.push(move);
  }
  return found;
}

/** Two commands may move as many pods of an owner at once; several nodes remember each. */
const isSame = (a: Moved, b: Moved): boolean =>
  a.by === b.by &&
  (a.by === '' ? a.at === b.at && a.pods === b.pods : Math.abs(a.at - b.at) <= KNOWN_MS);

const byTime = (a: Moved, b: Moved): number =>
  a.at - b.at || a.pods - b.pods || compareText(a.by, b.by);

const writeMoved = ({ at, pods, by }: Moved): readonly [string, number, string] => [
  formatInstant(at),
  pods,
  by,
];

/** The moves of the hour before, each with the digest of its owner. */
const movesIn = ({ owners }: MoveMemory, now: EpochMs): readonly (readonly [string, Moved])[] =>
  [...owners].flatMap(([owner, moves]) =>
    moves.filter(({ at }) => now - at < REST_MS).map((move) => [owner, move] as const),
  );

/** Whether a node that goes remembers moves of the hour before that another one does not. */
export const knowsMore = (
  going: readonly MoveMemory[],
  other: MoveMemory | undefined,
  now: EpochMs,
): boolean =>
  going
    .flatMap((memory) => movesIn(memory, now))
    .some(
      ([owner, move]) =>
        !other?.owners.get(owner)?.some((each) => isSame(each, move) && each.pods >= move.pods),
    );

/** What a NodeClaim remembers of moves; undefined where it received nobody, or long ago. */
export function memoryOf({ meta }: NodeClaim, now: EpochMs): MoveMemory | undefined {
  const written = objectIn(meta.annotations[CONSOLIDATED]);
  const at = instantOf(written.at);
  if (written.v !== VERSION || at === undefined || now - at >= MEMORY_MS || at > now) {
    return undefined;
  }
  const from = Array.isArray(written.from) ? written.from : [];
  const owners = Object.entries({ ...Object(written.owners) }).map(
    ([owner, moves]) => [owner, Array.isArray(moves) ? moves.flatMap(movedIn) : []] as const,
  );
  return { at, from: from.filter((each) => typeof each === 'string'), owners: new Map(owners) };
}

const instantOf = (value: unknown): EpochMs | undefined =>
  typeof value === 'string' ? parseInstant(value) : undefined;

const movedIn = (written: unknown): readonly Moved[] => {
  const [then, pods, by] = Array.isArray(written) ? written : [];
  const at = instantOf(then);
  if (at === undefined || typeof pods !== 'number') return [];
  return [{ at, pods, by: typeof by === 'string' ? by : '' }];
};

/** A digest of the uid of whoever makes a pod anew when it is evicted; empty where nobody does. */
const ownerOf = (pod: Pod): string => digestOf(ownerUidOf(pod));

const ownerUidOf = ({ meta }: Pod): string =>
  meta.owners.find(({ controller }) => controller)?.uid ?? '';

const digestOf = (uid: string): string => (uid === '' ? '' : shortDigest(uid, DIGEST_LENGTH));

const isMadeAnew = (pod: Pod): boolean => isReschedulable(pod) && ownerOf(pod) !== '';

/** Whether it remembers of each owner that a command moves so many of his pods now. */
export const remembersAll = (
  { owners }: MoveMemory,
  pods: readonly Pod[],
  { by, now }: { readonly by: string; readonly now: EpochMs },
): boolean =>
  [...Map.groupBy(pods.filter(isMadeAnew), ownerOf)].every(([owner, own]) =>
    owners
      .get(owner)
      ?.some((move) => move.by === by && move.at >= now - KNOWN_MS && move.pods >= own.length),
  );

/**
 * Why the pods of a node are not moved again yet; undefined where they may be. Which pods were made
 * in place of moved ones is not written on them, and kube-scheduler may have put them anywhere: as
 * many count as were moved, those first that their owner made first since, and all that he made
 * within the minute or while a node with pods of his is still drained.
 *
 * `asking` is the command whose nodes they run on, if any: it has moved none of them, because nobody
 * comes to a node after its taint. Cost: every pod, once for a Snapshot, and once more where the
 * command may be taken for whoever moved one.
 */
export function restingPods(
  pods: readonly Pod[],
  snapshot: Snapshot,
  asking?: { readonly by: string },
): string | undefined {
  const resting = restingIn(snapshot);
  const among = (uids: ReadonlySet<string>): Pod | undefined =>
    pods.find(({ meta }) => uids.has(meta.uid));
  const found = among(resting);
  const pod =
    found && asking ? among(madeSince(recentMoves(snapshot, asking.by), snapshot)) : found;
  if (!pod) return undefined;
  const { createdAt, namespace, name } = pod.meta;
  const minutes = Math.floor((snapshot.takenAt - createdAt) / 60_000);
  return `pod ${namespace}/${name} was moved ${minutes} min ago and is left alone for an hour`;
}

/** Objects are dated to the second. */
const GRAIN_MS = 1_000;
/** Evictions of one node that nobody objects to are over by then. */
const EVICTED_MS = 60_000;

const NOBODY: ReadonlySet<string> = new Set();

// Asked for each of many nodes of one Snapshot; it follows from the Snapshot alone.
const known = new WeakMap<Snapshot, ReadonlySet<string>>();

/** By uid: the pods that were made within the hour in place of moved ones. Cost: every pod, once. */
function restingIn(snapshot: Snapshot): ReadonlySet<string> {
  const before = known.get(snapshot);
  if (before) return before;
  const moves = recentMoves(snapshot);
  const resting = moves.size === 0 ? NOBODY : madeSince(moves, snapshot);
  known.set(snapshot, resting);
  return resting;
}

function madeSince(
  moves: ReadonlyMap<string, readonly Moved[]>,
  { nodes, pods }: Snapshot,
): ReadonlySet<string> {
  const draining = new Set(
    nodes.filter(isGoing).flatMap((state) => state.pods.filter(isMadeAnew).map(ownerOf)),
  );
  // Most pods are older than that. Digests are dear, and owners far fewer than pods.
  const since = Math.min(...[...moves.values()].flatMap((own) => own[0]?.at ?? [])) - GRAIN_MS;
  const young = [...pods, ...nodes.flatMap((state) => state.pods)].filter(
    ({ meta }) => meta.createdAt >= since,
  );
  return new Set(
    [...Map.groupBy(young, ownerUidOf)].flatMap(([uid, all]) => {
      const owner = digestOf(uid);
      const sorted = all.toSorted(
        (a, b) => a.meta.createdAt - b.meta.createdAt || compareText(a.meta.uid, b.meta.uid),
      );
      const own = moves.get(owner) ?? [];
      const counted = draining.has(owner)
        ? own.map((each) => ({ ...each, pods: all.length }))
        : own;
      return [...madeFor(counted, sorted)].map(({ meta }) => meta.uid);
    }),
  );
}

/** Those of an owner's pods, oldest first, that count as made for his moves, the first ones first. */
function madeFor(moves: readonly Moved[], sorted: readonly Pod[]): ReadonlySet<Pod> {
  const made = new Set<Pod>();
  for (const { at, pods: count } of moves) {
    const since = sorted.filter((pod) => !made.has(pod) && pod.meta.createdAt >= at - GRAIN_MS);
    for (const pod of since.slice(0, count)) made.add(pod);
  }
  for (const { at } of moves) {
    const isAtOnce = ({ meta }: Pod): boolean =>
      meta.createdAt >= at - GRAIN_MS && meta.createdAt < at + EVICTED_MS;
    for (const pod of sorted.filter(isAtOnce)) made.add(pod);
  }
  return made;
}

const isGoing = ({ claim }: StateNode): boolean => claim?.meta.deletedAt !== undefined;

/** By owner: the moves of his pods within the hour, each once, the oldest first, but a command's. */
function recentMoves(
  { nodes, takenAt }: Snapshot,
  but?: string,
): ReadonlyMap<string, readonly Moved[]> {
  const memories = nodes.flatMap(({ claim }) => (claim && memoryOf(claim, takenAt)) ?? []);
  const moves = Map.groupBy(
    memories
      .flatMap((memory) => movesIn(memory, takenAt))
      .filter(([, { by }]) => but === undefined || by !== but),
    ([owner]) => owner,
  );
  return new Map([...moves].map(([owner, own]) => [owner, eachOnce(own.map(([, move]) => move))]));
}
