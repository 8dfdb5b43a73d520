import { blockedReasons } from '#lib/disruption/budgets.ts';
import { grouped, servedPools } from '#lib/lifecycle/surroundings.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import { nodePoolRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';

/**
 * What NodePools are told that have nodes, and whose budgets let none of them go now, for each reason
 * apart. Not where a budget is only used up.
 *
 * Source: karpenter v1.14, disruption/helpers.go, BuildDisruptionBudgetMapping;
 * disruption/events/events.go, NodePoolBlockedForDisruptionReason.
 */
export function budgetEvents(snapshot: Snapshot): readonly Action[] {
  const members = grouped(snapshot.nodes, ({ claim }) => claim?.meta.labels[NODEPOOL]);
  return servedPools(snapshot).flatMap((pool) =>
    blockedReasons(pool, members.get(pool.meta.name) ?? [], snapshot.takenAt).map(
      (reason): Action => ({
        kind: 'recordEvent',
        about: nodePoolRef(pool),
        type: 'Normal',
        reason: 'DisruptionBlocked',
        message: `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
      }),
    ),
  );
}
