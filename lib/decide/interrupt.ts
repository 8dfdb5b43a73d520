import { compareText } from '#lib/constraints/order.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anEmptyPlan } from './plan-parts.ts';

/**
 * What EC2's announcements call for. So far nothing is decided: each announcement that concerns
 * a node of ours is named as left alone. When the instance is gone, provision notices.
 */
export function decideInterrupt(snapshot: Snapshot, interruptions: readonly Interruption[]): Plan {
  const warnings = interruptions.flatMap(({ kind, instanceId }) =>
    snapshot.nodes
      .filter(({ claim }) => claim?.status.providerId?.endsWith(`/${instanceId}`))
      .map(
        ({ name }) => `${kind} of ${instanceId} (${name}) left alone: not acted on by this version`,
      ),
  );
  return {
    ...anEmptyPlan('interrupt', snapshot),
    warnings: [...new Set(warnings)].sort(compareText),
  };
}
