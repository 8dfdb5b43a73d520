import type { Blocked } from '#lib/disruption/candidates.ts';
import type { LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { INITIALIZED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { ObjectRef } from '#lib/model/object.ts';
import { claimRef, nodePoolRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/** What people see of commands. Source: karpenter v1.14, disruption/events/events.go. */

const normal = (about: ObjectRef, reason: string, message: string): Action => ({
  kind: 'recordEvent',
  about,
  type: 'Normal',
  reason,
  message,
});

/**
 * Said of each node that a consolidation is proposed for. Source: karpenter v1.14,
 * disruption/events/events.go, ConsolidationCandidate.
 */
export function candidateEvents(draft: DraftCommand): readonly Action[] {
  const { reason, members, replacements, savesUsdPerHour } = draft;
  if (reason !== 'Underutilized') return [];
  const verb = replacements.length === 0 ? 'delete' : 'replace';
  const coming =
    replacements.length === 0
      ? ''
      : ` -> [${replacements.length} ${replacements.length === 1 ? 'replacement' : 'replacements'}]`;
  const rest =
    members.length === 1
      ? `${coming} (savings: $${savesUsdPerHour.toFixed(2)})`
      : ` (part of ${members.length}-node consolidation)`;
  return members.flatMap(({ node, claim }) => {
    const message = `Consolidation candidate: ${verb}: [${node.meta.name}]${rest}`;
    return [nodeRef(node), claimRef(claim)].map((about) =>
      normal(about, 'ConsolidationCandidate', message),
    );
  });
}

/**
 * Said of a consolidation that the policy Balanced finds worth its disruption: to the node where it
 * is one, to each NodePool that was asked where they are several. Source: karpenter v1.14,
 * disruption/events/events.go, ConsolidationApproved.
 */
export function approvalEvents({ members, approvals = [] }: DraftCommand): readonly Action[] {
  const [only, ...others] = members;
  return approvals.flatMap(({ pool, because }) => {
    const about =
      only && others.length === 0
        ? [nodeRef(only.node), claimRef(only.claim)]
        : [nodePoolRef(pool)];
    return about.map((each) => normal(each, 'ConsolidationApproved', because));
  });
}

/** Said of each replacement once it exists. */
export const launchingEvents = (command: LiveCommand, snapshot: Snapshot): readonly Action[] =>
  comingOf(command, snapshot).map((claim) =>
    normal(claimRef(claim), 'DisruptionLaunching', `Launching NodeClaim: ${command.record.reason}`),
  );

/** Said of each replacement that is not up yet. */
export const waitingEvents = (command: LiveCommand, snapshot: Snapshot): readonly Action[] =>
  comingOf(command, snapshot)
    .filter(({ status }) => !isTrue(status.conditions, INITIALIZED))
    .map((claim) =>
      normal(
        claimRef(claim),
        'DisruptionWaitingReadiness',
        'Waiting on readiness to continue disruption',
      ),
    );

function comingOf({ record }: LiveCommand, { nodes }: Snapshot): readonly NodeClaim[] {
  const names = new Set(record.validated?.replacements);
  return nodes.flatMap(({ claim }) => (claim && names.has(claim.meta.name) ? [claim] : []));
}

/** Said of each node of a proposal that was not found sound again. */
export function rejectionEvents({ record, members }: LiveCommand, why: Blocked): readonly Action[] {
  if (record.reason !== 'Underutilized') return [];
  const names = members.map(({ name }) => name).join(', ');
  const savings = record.savesUsdPerHour.toFixed(2);
  const word = WORDS[why.by] ?? 'scheduling';
  const message = `Consolidation rejected: [${names}], reason: ${word} (savings: $${savings}): ${why.because}`;
  return members.flatMap(({ node, claim }) => [
    ...(node ? [normal(nodeRef(node), 'ConsolidationRejected', message)] : []),
    ...(claim ? [normal(claimRef(claim), 'ConsolidationRejected', message)] : []),
  ]);
}

/** Upstream's words for what keeps a node. */
const WORDS: Readonly<Record<string, string>> = {
  budget: 'budget',
  nominated: 'budget',
  node: 'churn',
  'do-not-disrupt': 'churn',
  pdb: 'churn',
  consolidateAfter: 'churn',
  window: 'budget',
};
