import { isFullyBlocking, pdbVerdict, wantsAll } from '#lib/consent/pdb-verdict.ts';
import { isActive, isMirror } from '#lib/consent/pod-state.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { budgetProblem } from './budgets.ts';
import { leadProblem } from './expiry.ts';
import { windowsProblem } from './windows.ts';

/**
 * What keeps nodes from being disrupted for ever, or is not followed, and looks like a mistake:
 * budgets, windows and times of NodePools, and PodDisruptionBudgets that never yield. A sentence
 * each, sorted. Where `forgives` is set, as for drift, nodes whose end is given a time are left out.
 *
 * Cost: as pdbVerdict, for each pod on nodes of ours.
 */
export function consentWarnings(
  snapshot: Snapshot,
  { forgives }: { readonly forgives?: true } = {},
): readonly string[] {
  const ofPools = snapshot.nodePools.flatMap((pool) => poolWarnings(pool, snapshot.settings));
  return [...new Set([...ofPools, ...stuckBudgets(snapshot, forgives)])].sort(compareText);
}

/** What is wrong with the budgets, windows and times of one NodePool, a sentence each. */
export const poolWarnings = (
  pool: NodePool,
  settings: Parameters<typeof windowsProblem>[1],
): readonly string[] => [
  ...budgetWarnings(pool),
  ...told(pool, leadProblem(pool)),
  ...listOf(windowsProblem(pool, settings)),
];

const listOf = (sentence: string | undefined): readonly string[] =>
  sentence === undefined ? [] : [sentence];

const told = ({ meta }: NodePool, problem: string | undefined): readonly string[] =>
  listOf(problem && `NodePool "${meta.name}": ${problem}`);

const budgetWarnings = (pool: NodePool): readonly string[] =>
  pool.disruption.budgets.flatMap((budget, at) => {
    const problem = budgetProblem(budget);
    if (problem !== undefined) {
      return told(
        pool,
        `no node is disrupted, because budget ${at + 1} cannot be followed: ${problem}`,
      );
    }
    const limitsNothing = budget.reasons?.length === 0;
    return limitsNothing
      ? told(pool, `budget ${at + 1} limits nothing, because its list of reasons is empty`)
      : [];
  });

/** The PodDisruptionBudgets that hold nodes for ever, with how many. */
function stuckBudgets(
  { nodes, podDisruptionBudgets }: Snapshot,
  forgives: true | undefined,
): readonly string[] {
  const byName = new Map(
    podDisruptionBudgets.map((budget) => [`${budget.meta.namespace}/${budget.meta.name}`, budget]),
  );
  const whyHeld = (pod: Pod): readonly string[] => {
    const verdict = pdbVerdict(pod, podDisruptionBudgets);
    if (verdict.kind === 'allowed' || !isActive(pod) || isMirror(pod)) return [];
    const found = verdict.budgets.flatMap((each) => byName.get(each) ?? []);
    return whyStuck(verdict.budgets, found);
  };
  const held = nodes
    .filter(({ claim }) => claim && !(forgives && claim.spec.terminationGraceMs !== undefined))
    .flatMap(({ name, pods }) => [...new Set(pods.flatMap(whyHeld))].map((why) => ({ why, name })));
  return [...Map.groupBy(held, ({ why }) => why)].map(([why, nodesHeld]) => {
    const whose = why.startsWith('PodDisruptionBudgets') ? 'their' : 'its';
    const count = nodesHeld.length;
    const who = count === 1 ? `node ${nodesHeld[0]?.name} stays` : `${count} nodes stay`;
    return `${why}: ${who} for ${whose} sake`;
  });
}

function whyStuck(
  names: readonly string[],
  [budget, ...others]: readonly PodDisruptionBudget[],
): readonly string[] {
  if (!budget) return [];
  if (others.length > 0) {
    return [
      `PodDisruptionBudgets ${names.join(' and ')} select the same pods, and so never let them go`,
    ];
  }
  const { maxUnavailable, minAvailable, desiredHealthy, expectedPods } = budget;
  if (isFullyBlocking(budget)) {
    const setting =
      maxUnavailable === undefined
        ? `minAvailable is ${minAvailable}`
        : `maxUnavailable is ${maxUnavailable}`;
    return [`PodDisruptionBudget ${names[0]} never lets a pod go (${setting})`];
  }
  return wantsAll(budget)
    ? [
        `PodDisruptionBudget ${names[0]} lets no pod go as long as it wants ${desiredHealthy} of its ${expectedPods} pods healthy`,
      ]
    : [];
}
