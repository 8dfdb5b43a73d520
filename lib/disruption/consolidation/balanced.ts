import { isDaemon } from '#lib/consent/pod-state.ts';
import { isReschedulable } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Blocked, type Candidate, isBlocked } from '../candidates.ts';
import type { Approval, DraftCommand } from '../draft-command.ts';
import { priceByLabels, priceOf } from './eligible.ts';

/** The annotation by which a pod says how dear its deletion is. Source: kubernetes v1.36. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * What the eviction of a pod costs, in pods: 1, more with its priority and pod-deletion-cost, less
 * where they are negative; between −10 and 10.
 *
 * Source: karpenter v1.14, utils/disruption/disruption.go, EvictionCost.
 */
export function evictionCost({ meta, priority }: Pod): number {
  const written = Object.hasOwn(meta.annotations, DELETION_COST)
    ? Number(meta.annotations[DELETION_COST])
    : 0;
  const deletion = Number.isNaN(written) ? 0 : written;
  return Math.min(10, Math.max(-10, 1 + deletion / 2 ** 27 + priority / 2 ** 25));
}

/** What it costs to move a node's pods: 1 for the node, and what each eviction costs if anything. */
const disruptionOf = (pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);

/** What all nodes of a NodePool cost together, and what it would cost to move all their pods. */
interface Totals {
  readonly usdPerHour: number;
  readonly disruption: number;
}

/** So much dearer than its share of cost may a share of disruption be. Source: karpenter v1.14, balanced.go. */
const K = 2;
/** The least share of cost for a share of disruption. */
const THRESHOLD = 1 / K;
/** Sums of prices are off by less than that; half is enough. */
const NOISE = 1e-9;

/**
 * How much of a pool's cost a command saves for the share of its pods that it disturbs. No savings
 * count as 0, no disturbance as infinitely good, an unknown whole as 0.
 *
 * Source: karpenter v1.14, disruption/balanced.go, Score.
 */
export function balancedScore(savings: number, disruption: number, totals: Totals): number {
  if (savings <= 0 || totals.usdPerHour <= 0 || totals.disruption <= 0) return 0;
  if (disruption === 0) return Number.POSITIVE_INFINITY;
  return savings / totals.usdPerHour / (disruption / totals.disruption);
}

/**
 * Judges commands by the policy Balanced, for the NodePools that have it; others have no say. A
 * command over several pools saves for each as much as its part of the removed price is. All of them
 * approve of it, sorted by name, or the first that does not says why.
 *
 * `candidates` are all nodes that may be disrupted, whether or not consolidation would take them.
 */
export function balancedJudge(
  candidates: readonly (Candidate | Blocked)[],
  snapshot: Snapshot,
): (command: DraftCommand) => Blocked | { readonly approvals: readonly Approval[] } {
  const totals = totalsOf(candidates, snapshot);
  const costOf = (members: readonly Candidate[]): number =>
    members.reduce((sum, member) => sum + (priceOf(member, snapshot) ?? 0), 0);
  return ({ members, savesUsdPerHour }) => {
    const removed = costOf(members);
    const approvals: Approval[] = [];
    for (const [name, ofPool] of Map.groupBy(members, ({ pool }) => pool.meta.name)) {
      const pool = ofPool[0]?.pool;
      if (pool?.disruption.consolidationPolicy !== 'Balanced') continue;
      const savings = removed > 0 ? savesUsdPerHour * (costOf(ofPool) / removed) : 0;
      const disruption = ofPool.reduce(
        (sum, { state }) => sum + disruptionOf(state.pods.filter(isReschedulable)),
        0,
      );
      const whole = totals.get(name) ?? NOTHING;
      const score = balancedScore(savings, disruption, whole);
      if (score < THRESHOLD - NOISE) return tooDisturbing(name, score);
      const shares = {
        savings: savings / whole.usdPerHour,
        disruption: disruption / whole.disruption,
      };
      approvals.push({ pool, because: worthIt(score, shares) });
    }
    return { approvals: approvals.sort((a, b) => compareText(a.pool.meta.name, b.pool.meta.name)) };
  };
}

const NOTHING: Totals = { usdPerHour: 0, disruption: 0 };

/**
 * By NodePool, of all its nodes, whether or not they may be disrupted. What has no price counts as
 * nothing.
 *
 * Source: karpenter v1.14, state/cost/cost.go; disruption/balanced.go.
 */
function totalsOf(
  candidates: readonly (Candidate | Blocked)[],
  snapshot: Snapshot,
): ReadonlyMap<string, Totals> {
  const totals = new Map<string, Totals>();
  const add = (pool: string, usdPerHour: number, disruption: number): void => {
    const before = totals.get(pool) ?? NOTHING;
    totals.set(pool, {
      usdPerHour: before.usdPerHour + usdPerHour,
      disruption: before.disruption + disruption,
    });
  };
  const known = new Set(candidates.flatMap((each) => (isBlocked(each) ? [] : each.state.name)));
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.meta.name, pool]));
  for (const { name, node, claim, pods } of snapshot.nodes) {
    const pool = pools.get((claim ?? node)?.meta.labels[NODEPOOL] ?? '');
    if (pool === undefined) continue;
    const labels = { ...claim?.meta.labels, ...node?.meta.labels };
    const usd = claim && priceByLabels(labels, pool, snapshot.catalog);
    const counted = pods.filter(known.has(name) ? isReschedulable : notDaemon);
    add(pool.meta.name, usd ?? 0, disruptionOf(counted));
  }
  return totals;
}

const notDaemon = (pod: Pod): boolean => !isDaemon(pod);

/** Source of the words: karpenter v1.14, disruption/events/events.go, ConsolidationApproved. */
const worthIt = (
  score: number,
  { savings, disruption }: { readonly savings: number; readonly disruption: number },
): string =>
  `score ${score.toFixed(2)} >= threshold ${THRESHOLD.toFixed(2)} (k: ${K}, savings ${percent(savings)}, disruption ${percent(disruption)})`;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

const tooDisturbing = (pool: string, score: number): Blocked => ({
  by: 'balanced',
  because: `its removal scores ${score.toFixed(2)}, below the ${THRESHOLD.toFixed(2)} that the policy Balanced of NodePool "${pool}" asks for`,
});
