import { compareText } from '#lib/constraints/order.ts';
import type { Command } from '#lib/model/command.ts';
import type { Action, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { type Creation, creationsOf } from './creations.ts';
import { nameClaims, namesIn, plannedNodeClaim } from './new-node-claim.ts';
import { withCreated } from './plan-ahead.ts';
import { staticShortfall } from './static-pools.ts';
import { staticSurplus } from './static-scale-down.ts';

/** What static NodePools want, as parts of a Plan. */
export interface StaticCapacity {
  readonly claims: readonly PlannedNodeClaim[];
  readonly creations: readonly Creation[];
  readonly deletions: readonly Action[];
  readonly commands: readonly Command[];
  readonly warnings: readonly string[];
  readonly lookAgainInMs?: number;
  /** The Snapshot with what is created here, for whoever plans next. */
  readonly ahead: Snapshot;
}

/** Brings every static NodePool to its number of nodes: creates what lacks, deletes the surplus. */
export function staticCapacity(snapshot: Snapshot): StaticCapacity {
  const { claims, warnings, lookAgainInMs } = staticShortfall(snapshot);
  const named = nameClaims(claims, namesIn(snapshot)).toSorted((a, b) =>
    compareText(a.name, b.name),
  );
  const creations = creationsOf(named, snapshot);
  const surplus = staticSurplus(snapshot);
  return {
    claims: named.map(plannedNodeClaim),
    creations,
    deletions: surplus.actions,
    commands: surplus.commands,
    warnings,
    ...(lookAgainInMs !== undefined && { lookAgainInMs }),
    ahead: withCreated(snapshot, creations),
  };
}
