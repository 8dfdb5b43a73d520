/** What a plan tells people. */
import type { Action } from '#lib/model/plan.ts';

/** What was told, as "Kind Reason: message", each once, in the order of the plan. */
export const told = (actions: readonly Action[]): readonly string[] => [
  ...new Set(
    actions.flatMap((action) =>
      action.kind === 'recordEvent'
        ? [`${action.about.kind} ${action.reason}: ${action.message}`]
        : [],
    ),
  ),
];
