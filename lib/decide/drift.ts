import { stampHashes } from '#lib/lifecycle/hash-stamping.ts';
import { resolveNodeClasses } from '#lib/lifecycle/node-class.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anEmptyPlan } from './plan-parts.ts';

const NOT_YET = 'drifted and expired nodes are not replaced by this version';

/**
 * Which nodes are no longer what their templates say. So far: EC2NodeClasses are resolved anew
 * and hashes kept up to date, so that drift can be told later; no node is replaced.
 */
export function decideDrift(snapshot: Snapshot): Plan {
  const hasNodes = snapshot.nodes.some(({ claim }) => claim !== undefined);
  return {
    ...anEmptyPlan('drift', snapshot),
    actions: [...stampHashes(snapshot), ...resolveNodeClasses(snapshot)],
    warnings: hasNodes ? [NOT_YET] : [],
  };
}
