import { compareText } from '#lib/constraints/order.ts';
import type { NodeRefusal } from './node-refusal.ts';

/** What the scheduler says where there is no node at all. */
export const NO_NODES = 'no nodes available to schedule pods';

/**
 * What the scheduler says of a pod that no node took: "0/2 nodes are available: 2 Insufficient
 * cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
 *
 * Source: kubernetes v1.36, scheduler/framework/types.go, FitError.Error.
 */
export function unschedulableMessage(refusals: readonly NodeRefusal[]): string {
  const counts = new Map<string, number>();
  for (const reason of refusals.flatMap(({ reasons }) => reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const resolvable = refusals.filter(({ isResolvable }) => isResolvable).length;
  const preemption = new Map([
    ['No preemption victims found for incoming pod', resolvable],
    ['Preemption is not helpful for scheduling', refusals.length - resolvable],
  ]);
  const none = `0/${refusals.length} nodes are available`;
  return `${none}: ${listed(counts)}. preemption: ${none}: ${listed(preemption)}.`;
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .sort(compareText)
    .join(', ');
