import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import { typesFor } from '#lib/model/catalog.ts';
import { CONSOLIDATABLE, DISRUPTION_REASON } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { disruptionsLeft } from './budgets.ts';
import {
  type Blocked,
  type CandidacyFacts,
  type Candidate,
  candidateOf,
  isBlocked,
} from './candidates.ts';
import { ageOf, type Proposal, proposalOf } from './proposal.ts';

/** A node that may go because it holds nothing, and how far that has come. */
export interface EmptyNode {
  readonly candidate: Candidate;
  readonly usdPerHour: number;
  readonly stage: /** Nobody has proposed it yet. */
    | { readonly kind: 'new' }
    | { readonly kind: 'proposed'; readonly ripeInMs: number }
    /** It has been empty since it was proposed, long enough to be believed. */
    | { readonly kind: 'ripe' }
    /** It was marked; from then on the budget counts it as away. */
    | { readonly kind: 'marked' };
}

/** What emptiness makes of all nodes. Every node with a NodeClaim is in exactly one list. */
export interface Emptiness {
  /** Those that are to go, as many as the budgets let go; those that have come furthest first. */
  readonly leaving: readonly EmptyNode[];
  readonly kept: readonly { readonly state: StateNode; readonly why: Blocked }[];
}

/**
 * Which nodes go because they hold nothing but DaemonSets' pods, and are promised to none.
 *
 * A pod that nobody would move counts as nothing; upstream also counts as nothing those whose
 * eviction costs nothing (pod-deletion-cost, negative priority), which would lose them their node
 * without a look at where they could go. Every candidate's pool must be dynamic.
 *
 * Source: karpenter v1.14, disruption/emptiness.go.
 */
export function emptiness(facts: CandidacyFacts): Emptiness {
  const { snapshot } = facts;
  const judged = snapshot.nodes
    .filter(({ claim }) => claim !== undefined)
    .map((state) => ({ state, result: emptyNode(state, facts) }));
  const kept = judged.flatMap(({ state, result }) =>
    'by' in result ? [{ state, why: result }] : [],
  );
  const empty = judged.flatMap(({ result }) => ('by' in result ? [] : [result]));
  const { leaving, overBudget } = withinBudgets(empty.sort(byProgress), snapshot);
  return {
    leaving,
    kept: [
      ...kept,
      ...overBudget.map(({ candidate }) => ({
        state: candidate.state,
        why: {
          by: 'budget',
          because: `the budgets of NodePool ${candidate.pool.meta.name} let no more empty nodes go now`,
        },
      })),
    ].sort((a, b) => compareText(a.state.name, b.state.name)),
  };
}

function emptyNode(state: StateNode, facts: CandidacyFacts): EmptyNode | Blocked {
  const candidate = candidateOf(state, facts);
  if (isBlocked(candidate)) return candidate;
  const { claim, pool } = candidate;
  if (pool.replicas !== undefined) {
    return { by: 'nodePool', because: `NodePool "${pool.meta.name}" is static` };
  }
  if (pool.disruption.consolidateAfter === 'Never') {
    const because = `NodePool "${pool.meta.name}" has consolidation disabled`;
    return { by: 'consolidateAfter', because };
  }
  const holds = state.pods.filter(isReschedulable).length;
  if (holds > 0) return { by: 'pods', because: describeLoad(holds, candidate) };
  if (!isTrue(claim.status.conditions, CONSOLIDATABLE)) {
    return { by: 'consolidateAfter', because: 'its pods changed a short while ago' };
  }
  return {
    candidate,
    usdPerHour: priceOf(candidate, facts.snapshot),
    stage: stageOf(candidate, proposalOf(claim, 'Empty'), facts.snapshot),
  };
}

function describeLoad(count: number, { pool }: Candidate): string {
  if (pool.disruption.consolidationPolicy === 'WhenEmpty') {
    const { name } = pool.meta;
    return `NodePool "${name}" has consolidation policy WhenEmpty, but node is not empty`;
  }
  return `it holds ${count} ${count === 1 ? 'pod' : 'pods'}`;
}

function stageOf(
  { claim }: Candidate,
  proposal: Proposal | undefined,
  { takenAt }: Snapshot,
): EmptyNode['stage'] {
  if (isTrue(claim.status.conditions, DISRUPTION_REASON)) return { kind: 'marked' };
  if (!proposal) return { kind: 'new' };
  const age = ageOf(proposal, takenAt);
  if (age.kind === 'fresh') return { kind: 'proposed', ripeInMs: age.ripeInMs };
  return { kind: age.kind === 'ripe' ? 'ripe' : 'new' };
}

/** The price of the offering that the node's labels name; 0 where the catalog knows none. */
function priceOf({ node, claim, pool }: Candidate, { catalog }: Snapshot): number {
  const labels = { ...claim.meta.labels, ...node.meta.labels };
  const types = typesFor(catalog, pool);
  const type = types.find(({ name }) => name === labels[INSTANCE_TYPE]);
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === labels[ZONE] && capacityType === labels[CAPACITY_TYPE],
  );
  return offering?.usdPerHour ?? 0;
}

const PROGRESS = ['marked', 'ripe', 'proposed', 'new'];

/** Those that have come furthest first, then the dearest. */
const byProgress = (a: EmptyNode, b: EmptyNode): number =>
  PROGRESS.indexOf(a.stage.kind) - PROGRESS.indexOf(b.stage.kind) ||
  b.usdPerHour - a.usdPerHour ||
  compareText(a.candidate.node.meta.name, b.candidate.node.meta.name);

function withinBudgets(
  empty: readonly EmptyNode[],
  { nodePools, nodes, takenAt }: Snapshot,
): { readonly leaving: readonly EmptyNode[]; readonly overBudget: readonly EmptyNode[] } {
  const left = new Map<string, number>();
  for (const pool of nodePools) {
    const { name } = pool.meta;
    const members = nodes.filter(
      ({ node, claim }) => (claim ?? node)?.meta.labels[NODEPOOL] === name,
    );
    left.set(name, disruptionsLeft(pool, members, { reason: 'Empty', now: takenAt }));
  }
  const leaving: EmptyNode[] = [];
  const overBudget: EmptyNode[] = [];
  for (const each of empty) {
    const { name } = each.candidate.pool.meta;
    const room = left.get(name) ?? 0;
    if (each.stage.kind === 'marked') leaving.push(each);
    else if (room >= 1) {
      left.set(name, room - 1);
      leaving.push(each);
    } else overBudget.push(each);
  }
  return { leaving, overBudget };
}
