import { outOfDate } from '#lib/disruption/out-of-date.ts';
import { marketUpkeep } from '#lib/ec2/market-refresh.ts';
import { reservedUpkeep } from '#lib/ec2/reserved-upkeep.ts';
import { stampHashes } from '#lib/lifecycle/hash-stamping.ts';
import { resolveNodeClasses } from '#lib/lifecycle/node-class.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anEmptyPlan } from './plan-parts.ts';

/**
 * Which nodes are no longer what their templates say. So far: EC2NodeClasses are resolved anew and
 * hashes kept up to date, nodes of reservations that end are seen to, and what EC2 sells is asked
 * for again where it has grown old; nodes that have drifted or expired are named, and stay.
 */
export function decideDrift(snapshot: Snapshot): Plan {
  const kept = outOfDate(snapshot);
  return {
    ...anEmptyPlan('drift', snapshot),
    kept,
    actions: [
      ...stampHashes(snapshot),
      ...resolveNodeClasses(snapshot),
      ...reservedUpkeep(snapshot),
      ...marketUpkeep(snapshot),
    ],
    warnings: kept.map(({ node, because }) => `${node}: ${because}`),
  };
}
