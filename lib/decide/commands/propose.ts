import { compareText } from '#lib/constraints/order.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { rememberOn } from '#lib/disruption/commands/steps.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { Command } from '#lib/model/command.ts';
import { shortDigest } from '#lib/model/digest.ts';
import type { Action, Placement, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import {
  type NamedClaim,
  nameClaims,
  namesIn,
  plannedNodeClaim,
  podName,
} from '../new-node-claim.ts';
import { approvalEvents, candidateEvents } from './events.ts';

/** Commands that are written down, as parts of a Plan. */
export interface Proposed {
  readonly commands: readonly Command[];
  /** The nodes that would come first, under the names that they would have if made now. */
  readonly nodeClaims: readonly PlannedNodeClaim[];
  /** The pods that move to nodes that are there. */
  readonly placements: readonly Placement[];
  /** Writes of annotations, and what nodes are told. */
  readonly actions: readonly Action[];
  /** What a saving leaves out. */
  readonly warnings: readonly string[];
  readonly lookAgainInMs?: number;
}

/** After that a proposal may be acted on. Source: karpenter v1.14, disruption/validation.go. */
const RIPE_MS = 15_000;

/**
 * Writes commands down on the NodeClaims of their members. Nothing happens to a node before a later
 * look, no sooner than 15 seconds from now, finds the command sound again.
 */
export function propose(drafts: readonly DraftCommand[], snapshot: Snapshot): Proposed {
  const taken = new Set(namesIn(snapshot));
  const named = drafts.map((draft) => {
    const claims = nameClaims(draft.replacements, taken);
    for (const { name } of claims) taken.add(name);
    return { draft, claims };
  });
  return {
    commands: named.map(({ draft, claims }) => commandOf(draft, claims)),
    nodeClaims: named
      .flatMap(({ claims }) => claims.map(plannedNodeClaim))
      .sort((a, b) => compareText(a.name, b.name)),
    placements: drafts
      .flatMap(({ placements }) => placements)
      .map(({ pod, host }) => ({ pod: podName(pod), node: host }))
      .sort((a, b) => compareText(a.pod, b.pod)),
    actions: [
      ...drafts.flatMap((draft) => remember(draft, snapshot)),
      ...drafts.flatMap(candidateEvents),
      ...drafts.flatMap(approvalEvents),
    ],
    warnings: drafts.flatMap(({ members }) => unpriced(members, snapshot)),
    ...ripening(drafts, snapshot),
  };
}

/** A price that nobody knows is no price of zero: the saving is then left out, and that is said. */
const unpriced = (members: DraftCommand['members'], { catalog }: Snapshot): readonly string[] =>
  members
    .filter(({ state }) => priceOfNode(state, catalog) === undefined)
    .map(
      ({ state }) =>
        `the price of node ${state.name} is not known: what its removal saves is not counted`,
    );

/** When the first proposal, of this look or of one before, may be acted on. */
function ripening(
  drafts: readonly DraftCommand[],
  snapshot: Snapshot,
): Pick<Proposed, 'lookAgainInMs'> {
  const waits = inFlightOf(snapshot)
    .commands.filter(({ record }) => record.validated === undefined)
    .map(({ record }) => record.proposedAt + RIPE_MS - snapshot.takenAt)
    .filter((ms) => ms > 0);
  if (drafts.length > 0) waits.push(RIPE_MS);
  return waits.length > 0 ? { lookAgainInMs: Math.min(...waits) } : {};
}

/** A command as plans tell it. */
const commandOf = (
  { reason, members, podsMoved, savesUsdPerHour }: DraftCommand,
  claims: readonly NamedClaim[],
): Command => ({
  reason,
  remove: members.map(({ node }) => node.meta.name).sort(compareText),
  replaceWith: claims.map(({ name }) => name).sort(compareText),
  podsMoved,
  savesUsdPerHour,
});

function remember(
  { reason, members, podsMoved, savesUsdPerHour }: DraftCommand,
  { takenAt }: Snapshot,
): readonly Action[] {
  const uids = members.map(({ claim }) => claim.meta.uid).sort(compareText);
  const record = {
    id: shortDigest([reason, takenAt, ...uids].join(' '), ID_LENGTH),
    reason,
    members: uids,
    proposedAt: takenAt,
    podsMoved,
    savesUsdPerHour,
  };
  return rememberOn(
    members.map(({ claim }) => claim),
    record,
  );
}

const ID_LENGTH = 10;
