/** PodDisruptionBudgets of a simulated day, with what the disruption controller says they allow. */
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aPodDisruptionBudget } from '#test/build/pods.ts';

/** By workload: some that let one pod go at a time, a share or all but one, and three that never do. */
const BUDGETS = {
  'app-0': { maxUnavailable: '1' },
  'app-1': { maxUnavailable: '25%' },
  'app-2': { minAvailable: '80%' },
  'app-3': { minAvailable: '1' },
  'job-0': { maxUnavailable: '0' },
  'job-1': { minAvailable: '100%' },
  'job-2': { minAvailable: '1000' },
} as const;

/** What a look sees of these budgets: pods that wait, or whose node goes, are not there. */
export function budgetsSeenIn({ nodes, pods }: Snapshot): Pick<Snapshot, 'podDisruptionBudgets'> {
  const isOf = (app: string) => (pod: Pod) => pod.meta.labels.app === app;
  const up = nodes.filter(({ claim }) => claim?.meta.deletedAt === undefined);
  const podDisruptionBudgets = Object.entries(BUDGETS).map(([app, words]): PodDisruptionBudget => {
    const healthy = up.flatMap((each) => each.pods).filter(isOf(app)).length;
    const expected = nodes
      .flatMap((each) => each.pods)
      .concat(pods)
      .filter(isOf(app)).length;
    return aPodDisruptionBudget({
      meta: { name: app },
      selector: { matchLabels: { app }, matchExpressions: [] },
      ...words,
      disruptionsAllowed: Math.max(0, healthy - leastOf(words, expected)),
    });
  });
  return { podDisruptionBudgets };
}

/** Shares are rounded up. Source: kubernetes v1.36, controller/disruption. */
function leastOf(
  words: { readonly minAvailable?: string; readonly maxUnavailable?: string },
  expected: number,
): number {
  const amount = (written: string): number =>
    written.endsWith('%')
      ? Math.ceil((expected * Number.parseInt(written, 10)) / 100)
      : Number(written);
  return words.minAvailable === undefined
    ? expected - amount(words.maxUnavailable ?? '0')
    : amount(words.minAvailable);
}
