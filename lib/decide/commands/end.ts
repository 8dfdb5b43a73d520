import { isReschedulableNow } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import { isStaying } from '#lib/disruption/commands/phase.ts';
import { change, giveBackMembers, removeMembers } from '#lib/disruption/commands/steps.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import { knowsMore, memoryOf, remembersAll, writeMemory } from '#lib/disruption/memory-of-moves.ts';
import type { Command } from '#lib/model/command.ts';
import { CONSOLIDATED, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import { isServed } from '#lib/model/node-pool.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { podName } from '../new-node-claim.ts';
import type { Placing } from '../place.ts';
import { lastVerdict } from './judge.ts';

/** What the end of a command comes to at one look. */
export interface End {
  readonly commands?: readonly Command[];
  readonly actions: readonly Action[];
  readonly lookAgainInMs: number;
}

const SOON_MS = 1_000;
/** While a PodDisruptionBudget recovers, or a pod waits for the node that it goes to. */
const LATER_MS = 5_000;
/** A command that cannot be ended for so long is given up: its nodes stand idle. */
const MOST_MS = 20 * 60_000;

/**
 * Deletes the nodes of a command whose replacements are up: if nobody has withdrawn consent since,
 * and if each of their pods has a place on a node that is there, as pods are placed now. Upstream
 * looks neither at the one nor at the other again.
 */
export function endOf(command: LiveCommand, facts: SimulationFacts, placing: Placing): End {
  const { record } = command;
  const { snapshot } = facts;
  const living = command.members.filter(isStaying);
  const verdict = lastVerdict(command, facts);
  if (verdict.kind === 'never') return undo(living, verdict.because, snapshot);
  const lost = homelessPods(living, snapshot, placing);
  const late = snapshot.takenAt - (record.validated?.at ?? snapshot.takenAt) > MOST_MS;
  if (lost.without.length > 0) {
    return undo(living, `pods came that have no other place: ${lost.without[0]}`, snapshot);
  }
  const because = verdict.kind === 'later' ? verdict.because : lost.waiting[0];
  if (because !== undefined) {
    return late ? undo(living, because, snapshot) : { actions: [], lookAgainInMs: LATER_MS };
  }
  // Written before anything is deleted: pods that nobody remembers would be moved again.
  const memories = rememberMoves(command, snapshot, placing);
  if (memories.length > 0) return { actions: memories, lookAgainInMs: SOON_MS };
  return {
    commands: [
      {
        reason: record.reason,
        remove: living.map(({ name }) => name),
        replaceWith: record.validated?.replacements ?? [],
        podsMoved: record.podsMoved,
        savesUsdPerHour: record.savesUsdPerHour,
      },
    ],
    actions: removeMembers(living, record.reason),
    lookAgainInMs: SOON_MS,
  };
}

const undo = (living: readonly StateNode[], because: string, { takenAt }: Snapshot): End => ({
  actions: giveBackMembers(living, { because }, takenAt),
  lookAgainInMs: SOON_MS,
});

/** Pods of these nodes that go on no node which is there: by name, with where they would go. */
function homelessPods(
  living: readonly StateNode[],
  snapshot: Snapshot,
  { placements }: Placing,
): { readonly without: readonly string[]; readonly waiting: readonly string[] } {
  const places = new Map(placements.map((placement) => [placement.pod, placement]));
  const pods = living
    .flatMap(({ pods: bound }) => bound)
    .filter((pod) => isReschedulableNow(pod, snapshot.podDisruptionBudgets, snapshot.takenAt))
    .map(podName);
  return {
    without: pods.filter((pod) => !places.has(pod)),
    waiting: pods
      .filter((pod) => places.get(pod)?.nodeClaim !== undefined)
      .map((pod) => `${pod} goes on ${places.get(pod)?.nodeClaim}, which is not up`),
  };
}

/** So many nodes at least remember a move: one of them may go within the hour. */
const FEWEST_KEEPERS = 2;

/**
 * The nodes that are meant for moved pods remember what was given up for them, whose pods moved, and
 * what the nodes that go remember themselves.
 */
function rememberMoves(
  { record, members }: LiveCommand,
  snapshot: Snapshot,
  { placements }: Placing,
): readonly Action[] {
  const isMove = record.reason === 'Underutilized';
  const now = snapshot.takenAt;
  const living = members.filter(isStaying);
  const pods = isMove ? living.flatMap(({ pods: bound }) => bound) : [];
  const inherited = members.flatMap(({ claim }) => (claim && memoryOf(claim, now)) ?? []);
  if (!isMove && !knowsMore(inherited, undefined, now)) return [];
  const moved = new Set(pods.map(podName));
  const hosts = new Set(
    placements.filter(({ pod }) => moved.has(pod)).flatMap(({ node }) => node ?? []),
  );
  return keepersAmong(snapshot, new Set(members), hosts).flatMap(({ name, claim }) => {
    const before = claim && memoryOf(claim, now);
    const isKnown =
      before &&
      remembersAll(before, pods, { by: record.id, now }) &&
      !knowsMore(inherited, before, now);
    if (!claim || isKnown) return [];
    const from = isMove && hosts.has(name) ? members.flatMap(typeOf) : [];
    return change(claim, {
      [CONSOLIDATED]: writeMemory({ by: record.id, at: now, from, pods }, before, inherited),
    });
  });
}

function typeOf({ node, claim }: StateNode): readonly string[] {
  const labels = { ...claim?.meta.labels, ...node?.meta.labels };
  return labels[INSTANCE_TYPE] === undefined ? [] : [labels[INSTANCE_TYPE]];
}

/** The hosts, and where these are few, the oldest of the others that stay. */
function keepersAmong(
  { nodes }: Snapshot,
  members: ReadonlySet<StateNode>,
  hosts: ReadonlySet<string>,
): readonly StateNode[] {
  const staying = nodes.filter(
    (state) =>
      state.claim &&
      isServed(state.claim.spec.nodeClassRef) &&
      !members.has(state) &&
      isStaying(state),
  );
  const others = staying
    .filter(({ name }) => !hosts.has(name))
    .toSorted((a, b) => createdAt(a) - createdAt(b) || compareText(a.name, b.name))
    .slice(0, Math.max(0, FEWEST_KEEPERS - hosts.size));
  return [...staying.filter(({ name }) => hosts.has(name)), ...others];
}

const createdAt = ({ claim }: StateNode): number => claim?.meta.createdAt ?? 0;
