import { deletion } from '#lib/lifecycle/launch/giving-up.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { MAINTENANCE } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { type EpochMs, parseInstant } from '#lib/model/time.ts';
import { maintenanceDue } from './interrupted.ts';

/** Deletes a NodeClaim in time before AWS works on its machine, as it was announced and noted. */
export function maintenanceStep(claim: NodeClaim, now: EpochMs): ClaimStep {
  const noted = claim.meta.annotations[MAINTENANCE];
  const due = maintenanceDue(claim, noted === undefined ? undefined : parseInstant(noted));
  return due !== undefined && due <= now
    ? { actions: [deletion(claim, 'scheduled_change')], lookAgainInMs: 1_000 }
    : NO_STEP;
}
