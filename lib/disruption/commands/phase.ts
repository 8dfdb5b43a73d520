import { DISRUPTION_REASON, INITIALIZED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { DISRUPTED, REPLACES } from '#lib/model/labels.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Failure } from './back-off.ts';
import type { LiveCommand } from './in-flight.ts';

/**
 * How far a command has come, from what its nodes and replacements show; each is the state from
 * which one step is taken, and reached again by whoever repeats the step before.
 */
export type Phase =
  | { readonly kind: 'proposed'; readonly ripeInMs: number }
  /** It has stood long enough to be looked at anew. */
  | { readonly kind: 'ripe' }
  /** Nothing but the records was written yet, or somebody took it back from a node. */
  | { readonly kind: 'validated' }
  /** No pod can come to its nodes any more; replacements are to be created. */
  | { readonly kind: 'tainted' }
  /** All replacements exist, and not every member knows it. */
  | { readonly kind: 'launching' }
  | { readonly kind: 'waiting' }
  /** Whatever had to come first is there. */
  | { readonly kind: 'ready' }
  /** All its nodes are on their way out. */
  | { readonly kind: 'done' }
  /** It was never validated and says nothing about the cluster of today. */
  | { readonly kind: 'withdrawn'; readonly because: string }
  | ({ readonly kind: 'undone' } & Failure);

/** How long a proposal must have stood before it is acted on. Source: karpenter v1.14, validation.go. */
const MIN_AGE_MS = 15_000;
/** A proposal that nobody came back to says nothing about the cluster of today. */
const MAX_AGE_MS = 5 * 60_000;
/** Creating takes one look; what is not there after that was removed by somebody. */
const CREATION_MS = 2 * 60_000;
/** Source: karpenter v1.14, disruption/queue.go, maxRetryDuration. */
const TIMEOUT_MS = { each: 80, least: 10 * 60_000, most: 60 * 60_000 };

/** What a phase depends on besides the command. */
export interface PhaseFacts {
  readonly now: EpochMs;
  /** NodeClaims by name. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
  /** How many nodes take part in commands. */
  readonly busy: number;
}

/** The facts of a Snapshot in which so many nodes take part in commands. */
export const phaseFactsOf = ({ nodes, takenAt }: Snapshot, busy: number): PhaseFacts => ({
  now: takenAt,
  claims: new Map(nodes.flatMap(({ claim }) => (claim ? [[claim.meta.name, claim] as const] : []))),
  busy,
});

/** How far a command has come. */
export function phaseOf(command: LiveCommand, facts: PhaseFacts): Phase {
  const { validated, waitingSince } = command.record;
  if (!validated) return phaseOfProposal(command, facts);
  const living = command.members.filter(isStaying);
  if (living.length === 0) return { kind: 'done' };
  const isStarted = waitingSince !== undefined || living.some(isTouched);
  if (!command.isAgreed && !isStarted) return phaseOfProposal(command, facts);

  const coming = validated.replacements.map((name) => replacementOf(name, command, facts));
  const standing: Standing = {
    living,
    coming,
    isComplete: coming.every((claim) => claim !== undefined),
    isUp: coming.every((claim) => claim && isTrue(claim.status.conditions, INITIALIZED)),
    ageMs: facts.now - validated.at,
  };
  const failure = whyUndone(command, standing, facts);
  return failure ? { kind: 'undone', ...failure } : nextStep(command, standing);
}

/** What can be seen of a validated command. */
interface Standing {
  readonly living: readonly StateNode[];
  /** In the order of their names; undefined where one is not there. */
  readonly coming: readonly (NodeClaim | undefined)[];
  readonly isComplete: boolean;
  readonly isUp: boolean;
  readonly ageMs: number;
}

function whyUndone(
  { forgetful, record }: LiveCommand,
  { living, coming, isComplete, isUp, ageMs }: Standing,
  facts: PhaseFacts,
): Failure | undefined {
  if (forgetful > 0) return { because: 'a part of it was given back already' };
  if (living.length < record.members.length && !isUp) {
    return { because: 'a node of it was deleted before its replacement was up' };
  }
  if (!isComplete && record.waitingSince !== undefined) {
    const lost = record.validated?.replacements[coming.indexOf(undefined)] ?? '';
    return { because: `its replacement ${lost} came to nothing`, isFruitless: true };
  }
  if (!isComplete && ageMs > CREATION_MS) {
    return { because: 'its replacements could not be created' };
  }
  return !isUp && ageMs > timeoutMs(facts)
    ? { because: 'its replacements did not become ready in time', isFruitless: true }
    : undefined;
}

function nextStep(
  { isAgreed, record }: LiveCommand,
  { living, coming, isComplete, isUp }: Standing,
): Phase {
  if (!living.every(isMarked)) return { kind: 'validated' };
  if (!isComplete) return { kind: 'tainted' };
  const isKnown = isAgreed && (record.waitingSince !== undefined || coming.length === 0);
  if (!isKnown) return { kind: 'launching' };
  return { kind: isUp ? 'ready' : 'waiting' };
}

function phaseOfProposal({ record, members, gone, forgetful }: LiveCommand, { now }: PhaseFacts) {
  const withdrawn = (because: string): Phase => ({ kind: 'withdrawn', because });
  if (gone > 0 || !members.every(isStaying)) return withdrawn('a node of it is gone');
  if (forgetful > 0) return withdrawn('it was not written down on all of its nodes');
  const age = now - (record.validated?.at ?? record.proposedAt);
  if (age < 0 || age > MAX_AGE_MS) return withdrawn('nobody came back to it in time');
  if (record.validated) return { kind: 'ripe' } as const;
  return age >= MIN_AGE_MS
    ? ({ kind: 'ripe' } as const)
    : ({ kind: 'proposed', ripeInMs: MIN_AGE_MS - age } as const);
}

/** A NodeClaim of that name which was made for this command and is not being deleted. */
function replacementOf(
  name: string,
  { record }: LiveCommand,
  { claims }: PhaseFacts,
): NodeClaim | undefined {
  const claim = claims.get(name);
  const isOurs = claim?.meta.annotations[REPLACES] === record.id;
  return isOurs && claim.meta.deletedAt === undefined ? claim : undefined;
}

const timeoutMs = ({ busy }: PhaseFacts): number =>
  Math.min(TIMEOUT_MS.most, Math.max(TIMEOUT_MS.least, TIMEOUT_MS.each * busy));

/** Whether a member is not on its way out yet. */
export const isStaying = ({ claim }: StateNode): boolean => claim?.meta.deletedAt === undefined;

/** Whether a Node bears the taint that keeps pods from coming. */
export const isTainted = ({ taints }: Node): boolean =>
  taints.some(({ key, effect }) => key === DISRUPTED && effect === 'NoSchedule');

const hasReason = ({ claim }: StateNode): boolean =>
  isTrue(claim?.status.conditions ?? [], DISRUPTION_REASON);

const isMarked = (state: StateNode): boolean =>
  hasReason(state) && state.node !== undefined && isTainted(state.node);

const isTouched = (state: StateNode): boolean =>
  hasReason(state) || (state.node !== undefined && isTainted(state.node));
