import { pdbVerdict } from '#lib/consent/pdb-verdict.ts';
import { isActive } from '#lib/consent/pod-state.ts';
import { isEvictable, isWaitingEviction } from '#lib/consent/pods.ts';
import { selects } from '#lib/constraints/label-selector.ts';
import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetReason, NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { budgetProblem, disruptionsLeft } from './budgets.ts';
import type { Blocked, Candidate } from './candidates.ts';

/** What NodePools' budgets and PodDisruptionBudgets still allow, all commands of a pass together. */
export interface ConsentLedger {
  /** How many more nodes of a NodePool may go for a reason. */
  readonly nodesLeft: (pool: string, reason: BudgetReason) => number;
  /** What budgets of NodePools have against these nodes going together, beside all that was granted. */
  readonly budgetObjection: (
    candidates: readonly Candidate[],
    reason: BudgetReason,
  ) => Blocked | undefined;
  /** The same; if nothing, what PodDisruptionBudgets have against it. */
  readonly objection: (
    candidates: readonly Candidate[],
    reason: BudgetReason,
  ) => Blocked | undefined;
  /** The first PodDisruptionBudget of theirs that, with others which go already, would not do. */
  readonly sharedBudget: (candidates: readonly Candidate[]) => string | undefined;
  /** Notes that they go. */
  readonly grant: (candidates: readonly Candidate[]) => void;
}

/** What a ledger starts from: nodes of commands that are under way or deleted count as gone already. */
export interface LedgerFacts {
  readonly snapshot: Snapshot;
  /** Names of StateNodes. */
  readonly inFlight: ReadonlySet<string>;
}

/**
 * Opens the ledger of one pass. Unlike upstream, where each pod is asked for by itself, two pods
 * under a PodDisruptionBudget that allows one are not both free to go: not from two nodes of a
 * command, not by two commands. Where they stand on one node, and nobody else draws on the budget,
 * they go one after the other: the API server evicts the second when the first is up elsewhere.
 *
 * Cost: PodDisruptionBudgets × pods of the nodes that are asked about, each pod once.
 * Source: karpenter v1.14, disruption/helpers.go, BuildDisruptionBudgetMapping; utils/pdb/pdb.go.
 */
export function openLedger({ snapshot, inFlight }: LedgerFacts): ConsentLedger {
  const { nodes, nodePools, takenAt } = snapshot;
  const budgetOf = budgetLookup(snapshot);
  const members = Map.groupBy(nodes, poolNameOf);
  const pools = new Map(nodePools.map((pool) => [pool.meta.name, pool]));
  const granted = new Map<string, number>();
  const evicted = new Map(drawnBefore({ snapshot, inFlight }, budgetOf));
  const needs = new Map<Candidate, ReadonlyMap<string, number>>();
  const allowances = new Map(
    snapshot.podDisruptionBudgets.map((pdb) => [nameOf(pdb), pdb.disruptionsAllowed]),
  );
  const needsOf = (candidate: Candidate): ReadonlyMap<string, number> => {
    const known = needs.get(candidate);
    if (known) return known;
    const fresh = countBy(candidate.state.pods, (pod) =>
      isEvictable(pod, takenAt) ? budgetOf(pod) : undefined,
    );
    needs.set(candidate, fresh);
    return fresh;
  };
  const left = new Map<string, number>();
  const nodesLeft = (name: string, reason: BudgetReason): number => {
    const key = `${reason} ${name}`;
    const pool = pools.get(name);
    const atFirst =
      left.get(key) ??
      (pool
        ? disruptionsLeft(pool, members.get(name) ?? [], { reason, now: takenAt, inFlight })
        : 0);
    left.set(key, atFirst);
    return Math.max(0, atFirst - (granted.get(name) ?? 0));
  };
  const exceeds = (pdb: string, count: number): boolean =>
    (evicted.get(pdb) ?? 0) + count > (allowances.get(pdb) ?? 0);
  const overdrawn = (candidates: readonly Candidate[]): Blocked | undefined => {
    const needed = candidates.map(needsOf);
    for (const [pdb, count] of sumOf(needed)) {
      const drawn = evicted.get(pdb) ?? 0;
      const allowed = allowances.get(pdb) ?? 0;
      const isAlone = drawn === 0 && needed.filter((each) => each.has(pdb)).length === 1;
      if (exceeds(pdb, count) && !(isAlone && allowed > 0)) {
        return worn(pdb, { count, drawn, allowed });
      }
    }
    return undefined;
  };
  const budgetObjection: ConsentLedger['budgetObjection'] = (candidates, reason) => {
    const byPool = countBy(candidates, ({ pool }) => pool.meta.name);
    const short = [...byPool].find(([pool, count]) => count > nodesLeft(pool, reason));
    return short && overBudget(pools.get(short[0]), short[0], reason);
  };
  return {
    nodesLeft,
    budgetObjection,
    objection: (candidates, reason) => budgetObjection(candidates, reason) ?? overdrawn(candidates),
    sharedBudget: (candidates) =>
      [...sumOf(candidates.map(needsOf))]
        .filter(([pdb, count]) => evicted.has(pdb) && exceeds(pdb, count))
        .map(([pdb]) => pdb)
        .sort(compareText)[0],
    grant: (candidates) => {
      for (const { pool } of candidates) {
        granted.set(pool.meta.name, (granted.get(pool.meta.name) ?? 0) + 1);
      }
      for (const [pdb, count] of sumOf(candidates.map(needsOf))) {
        evicted.set(pdb, (evicted.get(pdb) ?? 0) + count);
      }
    },
  };
}

/**
 * What evictions of pods on nodes that leave will be charged to which budget. Who was protected after
 * it was decided that he goes may not be any more when it comes to that.
 */
function drawnBefore(
  { snapshot: { nodes, takenAt }, inFlight }: LedgerFacts,
  budgetOf: (pod: Pod) => string | undefined,
): ReadonlyMap<string, number> {
  const leaving = nodes.filter((state) => inFlight.has(state.name) || isDrained(state));
  return countBy(
    leaving.flatMap(({ pods }) => pods),
    (pod) => (isActive(pod) && isWaitingEviction(pod, takenAt) ? budgetOf(pod) : undefined),
  );
}

/** Which budget an eviction of a pod is charged to; undefined where none, or one that lets it go. */
function budgetLookup({ podDisruptionBudgets }: Snapshot): (pod: Pod) => string | undefined {
  const byNamespace = Map.groupBy(podDisruptionBudgets, ({ meta }) => meta.namespace);
  return (pod) => {
    const near = byNamespace.get(pod.meta.namespace) ?? [];
    const matching = near
      .filter(({ selector }) => selects(selector, pod.meta.labels))
      .toSorted(byNamespacedName);
    const [budget] = matching;
    if (!budget) return undefined;
    const isFree =
      budget.unhealthyPodEvictionPolicy === 'AlwaysAllow' &&
      pod.ready === 'False' &&
      pdbVerdict(pod, matching).kind === 'allowed';
    return isFree ? undefined : nameOf(budget);
  };
}

/** Its pods go or wait to, whoever asked for that. */
const isDrained = ({ claim, node }: StateNode): boolean =>
  claim?.meta.deletedAt !== undefined || node?.meta.deletedAt !== undefined;

const nameOf = ({ meta }: PodDisruptionBudget): string => `${meta.namespace}/${meta.name}`;

const poolNameOf = ({ node, claim }: StateNode): string =>
  (claim ?? node)?.meta.labels[NODEPOOL] ?? '';

function overBudget(pool: NodePool | undefined, name: string, reason: BudgetReason): Blocked {
  const problem = pool?.disruption.budgets.map(budgetProblem).find((each) => each !== undefined);
  const because =
    problem === undefined
      ? `the budgets of NodePool "${name}" let no more nodes go now for reason ${reason}`
      : `a budget of NodePool "${name}" cannot be followed, so that no node goes: ${problem}`;
  return { by: 'budget', because };
}

/** Of a PodDisruptionBudget: its pods that would go, that go already, and that may go. */
interface Draw {
  readonly count: number;
  readonly drawn: number;
  readonly allowed: number;
}

function worn(pdb: string, { count, drawn, allowed }: Draw): Blocked {
  const beside = drawn === 0 ? '' : ` beside ${drawn} that ${drawn === 1 ? 'goes' : 'go'} already`;
  return {
    by: 'pdb',
    because: `Pdb prevents pod evictions (PodDisruptionBudget=[${pdb}]): ${count} of its pods would go${beside}, it allows ${allowed} now`,
  };
}

function countBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function sumOf(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const each of counts) {
    for (const [key, count] of each) sum.set(key, (sum.get(key) ?? 0) + count);
  }
  return sum;
}
