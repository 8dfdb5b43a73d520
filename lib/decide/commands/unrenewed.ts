import { compareText } from '#lib/constraints/order.ts';
import { type Blocked, candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import type { StateNode } from '#lib/model/node.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action, Kept } from '#lib/model/plan.ts';
import { LATER, type Renewals } from './renewals.ts';

/** What is said of nodes that are not to be renewed now. */
export interface Unrenewed {
  /** Every node with a NodeClaim that is in no draft, by name. */
  readonly kept: readonly Kept[];
  /** Told to nodes that should go and may not. */
  readonly events: readonly Action[];
}

/**
 * Why nodes stay: what the node and its pods say first, then budgets, then the rest. Asked apart from
 * the drafts, because it takes a look at every pod, and few need to know.
 */
export function unrenewed(
  { drafts, blocked }: Renewals,
  facts: SimulationFacts,
  ledger: ConsentLedger,
): Unrenewed {
  const going = new Set(drafts.flatMap(({ members }) => members.map(({ state }) => state.name)));
  const staying = facts.snapshot.nodes
    .filter(({ name, claim }) => claim && !going.has(name))
    .map((state) => {
      const found = blocked.get(state.name);
      const postponed = found === LATER ? whyPostponed(state, facts, ledger) : found;
      return { state, isOutdated: found !== undefined, why: postponed ?? whyNot(state, facts) };
    });
  return {
    kept: staying
      .map(({ state, why }) => ({ node: state.name, ...why }))
      .sort((a, b) => compareText(a.node, b.node)),
    events: staying
      .filter(({ isOutdated, why }) => isOutdated && !SILENT.has(why.by))
      .slice(0, MOST_TOLD)
      .flatMap(({ state, why }) => blockedEvents(state, why)),
  };
}

function whyPostponed(state: StateNode, facts: SimulationFacts, ledger: ConsentLedger): Blocked {
  const candidate = candidateOf(state, { ...facts, forgives: true });
  if (isBlocked(candidate)) return candidate;
  return ledger.budgetObjection([candidate], 'Drifted') ?? LATER;
}

const CURRENT: Blocked = { by: 'current', because: 'it is what its NodePool would make now' };

/** Drift is not asked of nodes that are going, have yet to come, or are none of ours. */
function whyNot(state: StateNode, facts: SimulationFacts): Blocked {
  const result = candidateOf(state, facts);
  return isBlocked(result) && UNASKED.has(result.by) ? result : CURRENT;
}

const UNASKED: ReadonlySet<string> = new Set(['unmanaged', 'node', 'nodePool']);

/** Reasons that pass by themselves, or that a command tells of, are not told. */
const SILENT: ReadonlySet<string> = new Set([
  'command',
  'later',
  'budget',
  'limit',
  'back-off',
  'window',
]);

/** As many nodes are told of at once, by name. */
const MOST_TOLD = 100;

/** Source: karpenter v1.14, disruption/events/events.go, Blocked. */
const blockedEvents = ({ node, claim }: StateNode, { because }: Blocked): readonly Action[] =>
  [...(node ? [nodeRef(node)] : []), ...(claim ? [claimRef(claim)] : [])].map((about) => ({
    kind: 'recordEvent',
    about,
    type: 'Normal',
    reason: 'DisruptionBlocked',
    message: because.slice(0, 1).toUpperCase() + because.slice(1),
  }));
