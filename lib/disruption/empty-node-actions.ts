import type { Command } from '#lib/model/command.ts';
import { DISRUPTION_REASON, INITIALIZED } from '#lib/model/condition-types.ts';
import { conditionOf, isTrue, withCondition, withoutCondition } from '#lib/model/conditions.ts';
import { DISRUPTED, DISRUPTION } from '#lib/model/labels.ts';
import type { Node, StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { isServed } from '#lib/model/node-pool.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import type { Emptiness, EmptyNode } from './emptiness.ts';
import { writeProposal } from './proposal.ts';

/** What is to be done about empty nodes, and about nodes that are empty no more. */
export interface EmptyNodeActions {
  readonly actions: readonly Action[];
  /** Each node whose removal is final: its NodeClaim is deleted by this plan. */
  readonly commands: readonly Command[];
  readonly lookAgainInMs?: number;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * One step further for each empty node: proposed (an annotation), 15 seconds later found still
 * empty and marked (taint, then the DisruptionReason condition), and once the taint is seen, so
 * that no pod can come any more, still empty: its NodeClaim is deleted. A node that is empty no
 * more is given back at whatever step it is, and so is one that a controller left tainted.
 *
 * Source: karpenter v1.14, disruption/{controller,queue,validation}.go.
 */
export function emptyNodeActions(found: Emptiness, snapshot: Snapshot): EmptyNodeActions {
  const steps = found.leaving.map((each) => stepOf(each, snapshot.takenAt));
  const leaving = new Set(found.leaving.map(({ candidate }) => candidate.claim.meta.uid));
  const others = snapshot.nodes.filter(
    ({ claim }) => claim && isServed(claim.spec.nodeClassRef) && !leaving.has(claim.meta.uid),
  );
  const givenBack = others.flatMap(giveBack);
  const looks = [
    ...steps.flatMap(({ lookAgainInMs }) => lookAgainInMs ?? []),
    ...(givenBack.length > 0 ? [LOOK_AGAIN_MS] : []),
  ];
  return {
    actions: [...steps.flatMap(({ actions }) => actions), ...givenBack],
    commands: found.leaving.filter(isRemoved).map(commandOf),
    ...(looks.length === 0 ? {} : { lookAgainInMs: Math.min(...looks) }),
  };
}

const isRemoved = ({ candidate, stage }: EmptyNode): boolean =>
  stage.kind === 'marked' && isTainted(candidate.node);

/** The removal of an empty node, at whatever step it is. */
export const commandOf = ({ candidate, usdPerHour }: EmptyNode): Command => ({
  reason: 'Empty',
  remove: [candidate.node.meta.name],
  replaceWith: [],
  podsMoved: 0,
  savesUsdPerHour: usdPerHour,
});

interface Step {
  readonly actions: readonly Action[];
  readonly lookAgainInMs?: number;
}

function stepOf({ candidate, stage }: EmptyNode, now: EpochMs): Step {
  const { node, claim } = candidate;
  switch (stage.kind) {
    case 'new':
      return { actions: [propose(claim, now)], lookAgainInMs: 15_000 };
    case 'proposed':
      return { actions: [], lookAgainInMs: stage.ripeInMs };
    case 'ripe':
      return {
        actions: [...(isTainted(node) ? [] : [taint(node)]), mark(claim, now)],
        lookAgainInMs: LOOK_AGAIN_MS,
      };
    case 'marked':
      return {
        actions: isTainted(node) ? remove(node, claim) : [taint(node)],
        lookAgainInMs: LOOK_AGAIN_MS,
      };
  }
}

const propose = (claim: NodeClaim, now: EpochMs): Action => ({
  kind: 'update',
  object: claimRef(claim),
  meta: { annotations: { [DISRUPTION]: writeProposal({ reason: 'Empty', proposedAt: now }) } },
});

const isTainted = ({ taints }: Node): boolean =>
  taints.some(({ key, effect }) => key === DISRUPTED && effect === 'NoSchedule');

const taint = (node: Node): Action => ({
  kind: 'update',
  object: nodeRef(node),
  meta: {},
  taints: [
    ...node.taints.filter(({ key }) => key !== DISRUPTED),
    { key: DISRUPTED, value: '', effect: 'NoSchedule' },
  ],
});

const mark = (claim: NodeClaim, now: EpochMs): Action => ({
  kind: 'updateStatus',
  object: claimRef(claim),
  status: {
    conditions: withCondition(
      claim.status.conditions,
      {
        type: DISRUPTION_REASON,
        status: 'True',
        reason: 'Empty',
        message: 'Empty',
        observedGeneration: claim.meta.generation,
      },
      now,
    ),
  },
});

const remove = (node: Node, claim: NodeClaim): readonly Action[] => [
  terminating('Disrupting Node: Empty', nodeRef(node)),
  terminating('Disrupting NodeClaim: Empty', claimRef(claim)),
  { kind: 'delete', object: claimRef(claim), because: 'Empty' },
];

const terminating = (message: string, about: ReturnType<typeof claimRef>): Action => ({
  kind: 'recordEvent',
  about,
  type: 'Normal',
  reason: 'DisruptionTerminating',
  message,
});

/** Takes back what was written for a disruption that does not come; one write an object a look. */
function giveBack({ node, claim }: StateNode): readonly Action[] {
  if (!claim || claim.meta.deletedAt !== undefined || node?.meta.deletedAt !== undefined) return [];
  const { conditions } = claim.status;
  const hasReason = conditionOf(conditions, DISRUPTION_REASON) !== undefined;
  const isProposed = claim.meta.annotations[DISRUPTION] !== undefined;
  return [
    ...(node && isTainted(node) && isTrue(conditions, INITIALIZED) ? [untaint(node)] : []),
    ...(hasReason ? [unmark(claim)] : []),
    ...(isProposed && !hasReason ? [withdraw(claim)] : []),
  ];
}

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

const withdraw = (claim: NodeClaim): Action => ({
  kind: 'update',
  object: claimRef(claim),
  meta: { annotations: { [DISRUPTION]: null } },
});
