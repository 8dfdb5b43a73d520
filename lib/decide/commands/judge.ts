import {
  type Blocked,
  type CandidacyFacts,
  candidateOf,
  isBlocked,
} from '#lib/disruption/candidates.ts';
import type { LiveCommand } from '#lib/disruption/commands/in-flight.ts';
import { isStaying } from '#lib/disruption/commands/phase.ts';
import type { CommandRecord } from '#lib/disruption/commands/record.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import { certifyConsolidation } from '#lib/disruption/consolidation/certify.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import { renewalDraft, type SimulationFacts } from '#lib/disruption/drift.ts';
import { emptyDraft } from '#lib/disruption/emptiness.ts';
import { restingPods } from '#lib/disruption/memory-of-moves.ts';
import { closedWindow } from '#lib/disruption/windows.ts';
import type { CommandReason } from '#lib/model/command.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetReason } from '#lib/model/node-pool.ts';
import { staticRenewalDraft } from './static-renewal.ts';

/** Which budgets and windows a command is subject to. */
const budgetReasonOf = (reason: CommandReason): BudgetReason =>
  reason === 'Expired' ? 'Drifted' : reason;

/**
 * A proposal, worked out anew on the Snapshot of now: the command that would be carried out, or why
 * there is none any more.
 */
export function judge(
  { record, members }: LiveCommand,
  facts: SimulationFacts,
): DraftCommand | Blocked {
  if (record.reason === 'Underutilized') return certifyConsolidation(members, facts);
  const [state] = members;
  if (!state || members.length > 1) {
    return { by: 'command', because: `commands for reason ${record.reason} take one node each` };
  }
  if (record.reason === 'Empty') return emptyDraft(state, facts);
  return (
    staticRenewalDraft(state, record.reason, facts) ?? renewalDraft(state, record.reason, facts)
  );
}

/** What budgets say of a command beside all that was granted before. */
export function objectionTo(
  { members, reason }: Pick<DraftCommand, 'members' | 'reason'>,
  ledger: ConsentLedger,
): Blocked | undefined {
  if (reason === 'Empty' || reason === 'Underutilized') return ledger.objection(members, reason);
  const overBudget = ledger.budgetObjection(members, 'Drifted');
  if (overBudget) return overBudget;
  // Its own pods wait for each other while it is drained; those of two nodes would wear it down.
  const shared = ledger.sharedBudget(members);
  if (shared === undefined) return undefined;
  return {
    by: 'pdb',
    because: `another node with pods of PodDisruptionBudget ${shared} goes already`,
  };
}

/** Whether a command whose replacements are up may still end its nodes: at once, later, or not. */
export type Verdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'later'; readonly because: string }
  | { readonly kind: 'never'; readonly because: string };

/**
 * The last look before nodes are deleted: consent and windows once more, for what came while the
 * replacements did, and whether pods came before the taint that were moved within the hour. Nobody is
 * promised anything on a tainted node, and a PodDisruptionBudget that is used up at the moment will
 * recover.
 */
export function lastVerdict({ record, members }: LiveCommand, facts: SimulationFacts): Verdict {
  const isRenewal = record.reason === 'Drifted' || record.reason === 'Expired';
  const asked = {
    snapshot: facts.snapshot,
    nominated: new Set<string>(),
    ...(isRenewal && { forgives: true as const }),
  };
  const found = members
    .filter(isStaying)
    .flatMap((state) => lastObjection(state, record, asked) ?? []);
  const final = found.find(({ by }) => by !== 'pdb');
  if (final) return { kind: 'never', because: final.because };
  const [passing] = found;
  return passing ? { kind: 'later', because: passing.because } : { kind: 'go' };
}

function lastObjection(
  state: StateNode,
  { id, reason }: CommandRecord,
  facts: CandidacyFacts,
): Blocked | undefined {
  const candidate = candidateOf(state, facts);
  if (isBlocked(candidate)) return candidate;
  if (reason === 'Empty') {
    const draft = emptyDraft(state, facts);
    return 'by' in draft ? draft : undefined;
  }
  const resting = reason === 'Underutilized' && restingPods(state.pods, facts.snapshot, { by: id });
  if (resting) return { by: 'memory', because: resting };
  const closed = closedWindow(candidate.pool, budgetReasonOf(reason), facts.snapshot);
  return closed === undefined ? undefined : { by: 'window', because: closed };
}
