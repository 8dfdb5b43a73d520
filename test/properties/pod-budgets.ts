/** PodDisruptionBudgets of a simulated day, with what the disruption controller says they allow. */
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';

/** What a budget says. */
interface Words {
  readonly minAvailable?: string;
  readonly maxUnavailable?: string;
}

/** By workload: some that let one pod go at a time, a share or all but one, and three that never do. */
const BUDGETS: Readonly<Record<string, Words>> = {
  'app-0': { maxUnavailable: '1' },
  'app-1': { maxUnavailable: '25%' },
  'app-2': { minAvailable: '80%' },
  'app-3': { minAvailable: '1' },
  'job-0': { maxUnavailable: '0' },
  'job-1': { minAvailable: '100%' },
  'job-2': { minAvailable: '1000' },
};

/**
 * What a look sees of these budgets: pods that wait, or whose node goes, are not there. Those of the
 * workloads among `shut` let nobody go.
 */
export function podBudgetsIn(
  { nodes, pods }: Snapshot,
  shut: readonly string[],
): readonly PodDisruptionBudget[] {
  const isOf = (app: string) => (pod: Pod) => pod.meta.labels.app === app;
  const up = nodes.filter(({ claim }) => claim?.meta.deletedAt === undefined);
  const all = nodes.flatMap((each) => each.pods).concat(pods);
  return Object.entries(BUDGETS).map(([app, usual]) => {
    const words = shut.includes(app) ? { maxUnavailable: '0' } : usual;
    const healthy = up.flatMap((each) => each.pods).filter(isOf(app)).length;
    const least = leastOf(words, all.filter(isOf(app)).length);
    return aPodDisruptionBudget({
      meta: { name: app },
      selector: { matchLabels: { app }, matchExpressions: [] },
      ...words,
      disruptionsAllowed: Math.max(0, healthy - least),
    });
  });
}

/** Shares are rounded up. Source: kubernetes v1.36, controller/disruption. */
function leastOf({ minAvailable, maxUnavailable = '0' }: Words, expected: number): number {
  const amount = (written: string): number =>
    written.endsWith('%')
      ? Math.ceil((expected * Number.parseInt(written, 10)) / 100)
      : Number(written);
  return minAvailable === undefined ? expected - amount(maxUnavailable) : amount(minAvailable);
}
