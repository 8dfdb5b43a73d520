import { isReschedulableNow } from '#lib/consent/pods.ts';
import type { LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import { isStaying } from '#lib/disruption/commands/phase.ts';
import { change, giveBackMembers, removeMembers } from '#lib/disruption/commands/steps.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import { memoryOf, remembersAll, writeMemory } from '#lib/disruption/memory-of-moves.ts';
import type { Command } from '#lib/model/command.ts';
import { CONSOLIDATED, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
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

/** Each node that is meant for a moved pod remembers what was given up for it, and whose pods moved. */
function rememberMoves(
  { record, members }: LiveCommand,
  snapshot: Snapshot,
  { placements }: Placing,
): readonly Action[] {
  if (record.reason !== 'Underutilized') return [];
  const pods = members.filter(isStaying).flatMap(({ pods: bound }) => bound);
  const moved = new Set(pods.map(podName));
  const hosts = new Set(
    placements.filter(({ pod }) => moved.has(pod)).flatMap(({ node }) => node ?? []),
  );
  const from = members.flatMap(({ node, claim }) => {
    const labels = { ...claim?.meta.labels, ...node?.meta.labels };
    return labels[INSTANCE_TYPE] ?? [];
  });
  const since = record.validated?.at ?? record.proposedAt;
  return snapshot.nodes.flatMap(({ name, claim }) => {
    if (!claim || !hosts.has(name)) return [];
    const before = memoryOf(claim, snapshot.takenAt);
    if (before && remembersAll(before, pods, since)) return [];
    const move = { at: snapshot.takenAt, from, pods };
    return change(claim, { [CONSOLIDATED]: writeMemory(move, before) });
  });
}
