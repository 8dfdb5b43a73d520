import { isFullyBlocking } from '#lib/consent/pdb-verdict.ts';
import { isActive, isMirror } from '#lib/consent/pod-state.ts';
import { selects } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { budgetProblem } from './budgets.ts';

/**
 * What keeps nodes from being disrupted for ever, and looks like a mistake: budgets that cannot be
 * followed, and PodDisruptionBudgets that never yield. A sentence each, sorted.
 */
export function consentWarnings(snapshot: Snapshot): readonly string[] {
  const budgets = snapshot.nodePools.flatMap(({ meta, disruption }) =>
    disruption.budgets.flatMap((budget, at) => {
      const problem = budgetProblem(budget);
      if (problem === undefined) return [];
      return [
        `NodePool "${meta.name}": no node is disrupted, because budget ${at + 1} cannot be followed: ${problem}`,
      ];
    }),
  );
  const stuck = snapshot.podDisruptionBudgets
    .filter(isFullyBlocking)
    .flatMap((budget) => tell(budget, snapshot));
  return [...budgets, ...stuck].sort(compareText);
}

function tell(budget: PodDisruptionBudget, { nodes }: Snapshot): readonly string[] {
  const { meta, selector, maxUnavailable, minAvailable } = budget;
  const held = nodes.filter(({ claim, pods }) =>
    pods.some(
      (pod) =>
        claim !== undefined &&
        isActive(pod) &&
        !isMirror(pod) &&
        pod.meta.namespace === meta.namespace &&
        selects(selector, pod.meta.labels),
    ),
  );
  if (held.length === 0) return [];
  const words =
    maxUnavailable === undefined
      ? `minAvailable is ${minAvailable}`
      : `maxUnavailable is ${maxUnavailable}`;
  const [first] = held;
  const named = held.length === 1 ? `node ${first?.name} stays` : `${held.length} nodes stay`;
  return [
    `PodDisruptionBudget ${meta.namespace}/${meta.name} never lets a pod go (${words}): ${named} for its sake`,
  ];
}
