import type { CommandReason } from '#lib/model/command.ts';
import { DISRUPTION_REASON } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue, withCondition, withoutCondition } from '#lib/model/conditions.ts';
import {
  DISRUPTED,
  DISRUPTION,
  DISRUPTION_BACK_OFF,
  PLACES,
  REPLACEMENTS,
} from '#lib/model/labels.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NewNodeClaim, NodeClaim } from '#lib/model/node-claim.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, MetaChange } from '#lib/model/plan.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { type Failure, writeBackOff } from './back-off.ts';
import { isStaying, isTainted } from './phase.ts';
import { type CommandRecord, writeRecord } from './record.ts';
import { writeReplacements } from './replacements.ts';

/**
 * Writes a command down on each of its members, where it does not stand already. The first by uid
 * also keeps its replacements in full, and where its pods go.
 */
export function rememberOn(
  members: readonly NodeClaim[],
  record: CommandRecord,
  kept: { readonly replacements?: readonly NewNodeClaim[]; readonly places?: string } = {},
): readonly Action[] {
  const { replacements = [], places } = kept;
  const text = writeRecord(record);
  return members.flatMap((claim) =>
    change(claim, {
      [DISRUPTION]: text,
      ...(claim.meta.uid === record.members[0] &&
        replacements.length > 0 && { [REPLACEMENTS]: writeReplacements(replacements) }),
      ...(claim.meta.uid === record.members[0] && places !== undefined && { [PLACES]: places }),
    }),
  );
}

/** The taint and the DisruptionReason condition for each member that lacks them. */
export const markMembers = (
  members: readonly StateNode[],
  reason: CommandReason,
  now: EpochMs,
): readonly Action[] =>
  members
    .filter(isStaying)
    .flatMap(({ node, claim }) => [
      ...(node && !isTainted(node) ? [taint(node)] : []),
      ...(claim && !isTrue(claim.status.conditions, DISRUPTION_REASON)
        ? [mark(claim, reason, now)]
        : []),
    ]);

const taint = (node: Node): Action => ({
  kind: 'update',
  object: nodeRef(node),
  meta: {},
  taints: [
    ...node.taints.filter(({ key }) => key !== DISRUPTED),
    { key: DISRUPTED, value: '', effect: 'NoSchedule' },
  ],
});

const mark = (claim: NodeClaim, reason: CommandReason, now: EpochMs): Action => ({
  kind: 'updateStatus',
  object: claimRef(claim),
  status: {
    conditions: withCondition(
      claim.status.conditions,
      {
        type: DISRUPTION_REASON,
        status: 'True',
        reason,
        message: reason,
        observedGeneration: claim.meta.generation,
      },
      now,
    ),
  },
});

/**
 * Deletes the NodeClaims of a command that has come to its end, and says so.
 *
 * Source: karpenter v1.14, disruption/queue.go; disruption/events/events.go.
 */
export const removeMembers = (
  members: readonly StateNode[],
  reason: CommandReason,
): readonly Action[] =>
  members.filter(isStaying).flatMap(({ node, claim }): readonly Action[] => {
    if (!claim) return [];
    return [
      ...(node ? [event(nodeRef(node), `Disrupting Node: ${reason}`)] : []),
      event(claimRef(claim), `Disrupting NodeClaim: ${reason}`),
      { kind: 'delete', object: claimRef(claim), because: reason },
    ];
  });

const event = (about: ReturnType<typeof claimRef>, message: string): Action => ({
  kind: 'recordEvent',
  about,
  type: 'Normal',
  reason: 'DisruptionTerminating',
  message,
});

/**
 * Gives the members of a command back that does not come: first the record goes, so that nobody
 * carries it on, with the reason and until when the node is left alone; then taint and condition.
 */
export const giveBackMembers = (
  members: readonly StateNode[],
  failure: Failure | undefined,
  now: EpochMs,
): readonly Action[] =>
  members
    .filter(isStaying)
    .flatMap((state) => [
      ...(state.claim ? forget(state.claim, failure, now) : []),
      ...releaseNode(state),
    ]);

const forget = (claim: NodeClaim, failure: Failure | undefined, now: EpochMs): readonly Action[] =>
  change(claim, {
    [DISRUPTION]: null,
    [REPLACEMENTS]: null,
    [PLACES]: null,
    ...(failure && { [DISRUPTION_BACK_OFF]: writeBackOff(claim, failure, now) }),
  });

/** Takes taint and condition off a node that takes part in no command. */
export const releaseNode = ({ node, claim }: StateNode): readonly Action[] => [
  ...(node && node.meta.deletedAt === undefined && isTainted(node) ? [untaint(node)] : []),
  ...(claim && conditionOf(claim.status.conditions, DISRUPTION_REASON) ? [unmark(claim)] : []),
];

const untaint = (node: Node): Action => ({
  kind: 'update',
  object: nodeRef(node),
  meta: {},
  taints: node.taints.filter(({ key }) => key !== DISRUPTED),
});

const unmark = (claim: NodeClaim): Action => ({
  kind: 'updateStatus',
  object: claimRef(claim),
  status: { conditions: withoutCondition(claim.status.conditions, DISRUPTION_REASON) },
});

/** Writes those annotations of a NodeClaim that differ; null takes one away. */
export function change(
  claim: NodeClaim,
  annotations: NonNullable<MetaChange['annotations']>,
): readonly Action[] {
  const differing = Object.entries(annotations).filter(
    ([key, value]) => (claim.meta.annotations[key] ?? null) !== value,
  );
  if (differing.length === 0) return [];
  const meta = { annotations: Object.fromEntries(differing) };
  return [{ kind: 'update', object: claimRef(claim), meta }];
}
