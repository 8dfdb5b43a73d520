/** What NodePools' budgets and PodDisruptionBudgets say of all commands of a plan together. */
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetSpec } from '#lib/model/node-pool.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { nameOf } from '../soundness/rules.ts';
import { isOpenAt } from './open-hours.ts';
import { selected } from './selected.ts';

const NODEPOOL = 'karpenter.sh/nodepool';

/** Everything that was taken without consent. */
export function consentProblems(snapshot: Snapshot, plan: Plan): readonly string[] {
  const nodes = new Map(snapshot.nodes.map((state) => [state.name, state]));
  const gone = plan.commands.flatMap(({ remove, reason }) =>
    remove.flatMap((name) => {
      const state = nodes.get(name);
      return state ? [{ state, reason }] : [];
    }),
  );
  return [
    ...snapshot.nodePools.flatMap(({ meta, disruption }) => {
      const members = snapshot.nodes.filter(
        ({ claim }) => claim?.meta.labels[NODEPOOL] === meta.name,
      );
      const own = gone.filter(({ state }) => members.includes(state));
      const count = (reason: string): number => own.filter((each) => each.reason === reason).length;
      const most = (reason: Occasion['reason']): number =>
        allowed(disruption.budgets, members, { reason, now: snapshot.takenAt });
      const [empty, others] = [count('Empty'), count('Underutilized')];
      // Empty nodes come first, and count for whatever goes after them.
      return [
        ...(empty > most('Empty')
          ? [`${meta.name}: ${empty} empty nodes go, ${most('Empty')} may`]
          : []),
        ...(others > 0 && empty + others > most('Underutilized')
          ? [`${meta.name}: ${empty + others} nodes go, ${most('Underutilized')} may`]
          : []),
      ];
    }),
    ...pdbProblems(
      snapshot,
      gone.map(({ state }) => state),
    ),
  ];
}

interface Occasion {
  readonly reason: 'Empty' | 'Underutilized';
  readonly now: number;
}

/** How many more nodes may go. */
function allowed(
  budgets: readonly BudgetSpec[],
  members: readonly StateNode[],
  { reason, now }: Occasion,
): number {
  const counted = members.filter(
    ({ node }) => node?.meta.labels['karpenter.sh/initialized'] === 'true',
  );
  const away = counted.filter(
    ({ node, claim }) => node?.ready?.status !== 'True' || claim?.meta.deletedAt !== undefined,
  );
  const values = budgets
    .filter(({ reasons }) => reasons === undefined || reasons.includes(reason))
    .filter((budget) => isOpenAt(budget, now))
    .map(({ nodes }) =>
      nodes.endsWith('%')
        ? Math.ceil((Number(nodes.slice(0, -1)) * counted.length) / 100)
        : Number(nodes),
    );
  return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...values) - away.length);
}

/** Whether a pod is one that lives and is no mirror: those may be asked to go. */
export const isBudgetedPod = ({ phase, meta }: Pod): boolean =>
  phase !== 'Succeeded' && phase !== 'Failed' && !meta.owners.some(({ kind }) => kind === 'Node');

function pdbProblems(snapshot: Snapshot, gone: readonly StateNode[]): readonly string[] {
  const problems: string[] = [];
  const drawn = new Map<string, { count: number; readonly nodes: Set<string> }>();
  for (const state of gone) {
    for (const pod of state.pods) {
      if (!isBudgetedPod(pod) || pod.meta.deletedAt !== undefined) continue;
      const own = snapshot.podDisruptionBudgets.filter((pdb) => selected(pdb, pod));
      if (own.length > 1) problems.push(`${nameOf(pod)} has two budgets and can never be evicted`);
      const [pdb] = own;
      const isFree = pdb?.unhealthyPodEvictionPolicy === 'AlwaysAllow' && pod.ready === 'False';
      if (!pdb || isFree) continue;
      const seen = drawn.get(pdb.meta.name) ?? { count: 0, nodes: new Set<string>() };
      seen.count++;
      seen.nodes.add(state.name);
      drawn.set(pdb.meta.name, seen);
    }
  }
  for (const { meta, disruptionsAllowed } of snapshot.podDisruptionBudgets) {
    const { count, nodes } = drawn.get(meta.name) ?? { count: 0, nodes: new Set<string>() };
    // The pods of one node go one after the other, by the API server's leave.
    const most = nodes.size === 1 && disruptionsAllowed > 0 ? count : disruptionsAllowed;
    if (count > most) problems.push(`${meta.name} allows ${disruptionsAllowed}, ${count} pods go`);
  }
  return problems;
}
