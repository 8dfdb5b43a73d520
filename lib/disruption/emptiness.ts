import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { StateNode } from '#lib/model/node.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import {
  type Blocked,
  type CandidacyFacts,
  type Candidate,
  candidateOf,
  holdsBuffer,
  isBlocked,
} from './candidates.ts';
import type { ConsentLedger } from './consent-ledger.ts';
import type { DraftCommand } from './draft-command.ts';
import { unsettled } from './settled.ts';
import { closedWindow } from './windows.ts';

/** What emptiness makes of all nodes. Every node with a NodeClaim is in exactly one list. */
export interface Emptiness {
  /** One for each node that is to go, as many as the budgets let go; the dearest first. */
  readonly commands: readonly DraftCommand[];
  readonly kept: readonly { readonly state: StateNode; readonly why: Blocked }[];
}

/**
 * Which nodes go because they hold nothing but DaemonSets' pods, and are promised to none. What is
 * granted here is noted in the ledger.
 *
 * Source: karpenter v1.14, disruption/emptiness.go.
 */
export function emptiness(facts: CandidacyFacts, ledger: ConsentLedger): Emptiness {
  const judged = facts.snapshot.nodes
    .filter(({ claim }) => claim !== undefined)
    .map((state) => ({ state, result: emptyDraft(state, facts) }));
  const kept = judged.flatMap(({ state, result }) =>
    'by' in result ? [{ state, why: result }] : [],
  );
  const empty = judged
    .flatMap(({ state, result }) => ('by' in result ? [] : [{ state, draft: result }]))
    .sort(
      (a, b) =>
        b.draft.savesUsdPerHour - a.draft.savesUsdPerHour ||
        compareText(a.state.name, b.state.name),
    );
  const commands: DraftCommand[] = [];
  for (const { state, draft } of empty) {
    const why = ledger.objection(draft.members, 'Empty');
    if (why) {
      kept.push({ state, why });
    } else {
      ledger.grant(draft.members);
      commands.push(draft);
    }
  }
  return { commands, kept: kept.sort((a, b) => compareText(a.state.name, b.state.name)) };
}

/**
 * The commands of `emptiness` alone. Why others stay is not asked, which takes a look at the budgets
 * of every pod.
 */
export function emptyNodes(facts: CandidacyFacts, ledger: ConsentLedger): Emptiness['commands'] {
  const nodes = facts.snapshot.nodes.filter(({ pods }) => !pods.some(isReschedulable));
  return emptiness({ ...facts, snapshot: { ...facts.snapshot, nodes } }, ledger).commands;
}

/**
 * The removal of a node that holds nothing, or why it stays.
 *
 * A pod that nobody would move counts as nothing; upstream also counts as nothing those whose
 * eviction costs nothing (pod-deletion-cost, negative priority), which would lose them their node
 * without a look at where they could go.
 *
 * Source: karpenter v1.14, disruption/emptiness.go, ShouldDisrupt.
 */
export function emptyDraft(state: StateNode, facts: CandidacyFacts): DraftCommand | Blocked {
  const candidate = candidateOf(state, facts);
  if (isBlocked(candidate)) return candidate;
  const { pool } = candidate;
  const { name } = pool.meta;
  if (pool.replicas !== undefined) {
    return { by: 'nodePool', because: `NodePool "${name}" is static` };
  }
  if (pool.disruption.consolidateAfter === 'Never') {
    return { by: 'consolidateAfter', because: `NodePool "${name}" has consolidation disabled` };
  }
  const holds = state.pods.filter(isReschedulable).length;
  if (holds > 0) return { by: 'pods', because: describeLoad(holds, candidate) };
  const buffer = holdsBuffer(candidate, facts);
  if (buffer) return buffer;
  const settling = unsettled(candidate, facts.snapshot.takenAt);
  if (settling) return settling;
  const closed = closedWindow(pool, 'Empty', facts.snapshot);
  if (closed !== undefined) return { by: 'window', because: closed };
  return {
    reason: 'Empty',
    members: [candidate],
    replacements: [],
    placements: [],
    podsMoved: 0,
    savesUsdPerHour: priceOfNode(state, facts.snapshot.catalog) ?? 0,
  };
}

function describeLoad(count: number, { pool }: Candidate): string {
  if (pool.disruption.consolidationPolicy === 'WhenEmpty') {
    const { name } = pool.meta;
    return `NodePool "${name}" has consolidation policy WhenEmpty, but node is not empty`;
  }
  return `it holds ${count} ${count === 1 ? 'pod' : 'pods'}`;
}
