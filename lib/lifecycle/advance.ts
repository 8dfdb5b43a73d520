import { NODECLASS, TERMINATION_FINALIZER } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { accountGarbage } from './account-garbage.ts';
import { consistencyStep } from './consistency.ts';
import { consolidatableStep } from './consolidatable.ts';
import { expirationStep } from './expiration.ts';
import { garbageStep } from './garbage.ts';
import { hashActions, restampStep } from './hash-stamping.ts';
import { hydrationStep } from './hydration.ts';
import { initializationStep } from './initialization.ts';
import { instanceStatusStep } from './instance-status.ts';
import { taggingActions } from './instance-tagging.ts';
import { asNewGroup, groupNameOf, type LaunchGroup, launchGroupsOf } from './launch-groups.ts';
import { launchResultStep } from './launch-result.ts';
import { type Launching, launchSteps } from './launching.ts';
import { initializationTimeoutStep, livenessStep } from './liveness.ts';
import { maintenanceStep } from './maintenance.ts';
import { resolveNodeClasses } from './node-class.ts';
import { nodePoolStatus, poolOf } from './node-pool-status.ts';
import { podEvents } from './pod-events.ts';
import { registrationStep } from './registration.ts';
import { repairStep } from './repair.ts';
import { type ClaimStep, metaDifference, NO_STEP, type Progress, takeSteps } from './step.ts';
import { grouped, type Surroundings, servedPools, surroundingsOf } from './surroundings.ts';
import { deadlineEvents, deletedNodeSteps, terminationSteps } from './termination.ts';
import { twinStep } from './twins.ts';
import { zonalShiftEvents } from './zonal-shift-events.ts';

/** What one look at the lives of all nodes comes to. */
export interface Advance {
  readonly actions: readonly Action[];
  /** After how long a look may find more to do; absent where nothing is on its way. */
  readonly lookAgainInMs?: number;
}

/**
 * The next step in the life of every EC2NodeClass, NodePool, NodeClaim and Node, from what the
 * Snapshot shows of them and nothing else: created, launched, registered, initialized, drained,
 * terminated. Every step may be cut off before, within or after any of its actions; the next look
 * goes on from what is there. A Snapshot in which nothing is on its way yields no action.
 *
 * Launches come first, then NodeClaims by name, then Nodes, pools and classes. O(n log n) over
 * the objects, but for the launch requests, which look at every instance type.
 */
export function advance(snapshot: Snapshot): Advance {
  const around = surroundingsOf(snapshot);
  const groups = launchGroupsOf(around);
  const launchings = launchSteps(groups, around);
  const members = grouped(snapshot.nodes, poolOf);
  const parts: readonly Progress[] = [
    ...launchings,
    ...claimsProgress(groups, launchings, around),
    ...deletedNodeSteps(around).map(asProgress),
    { actions: deadlineEvents(around) },
    { actions: accountGarbage(around) },
    { actions: taggingActions(around) },
    { actions: zonalShiftEvents(around) },
    ...servedPools(snapshot).map((pool) => ({
      actions: [
        ...hashActions(pool, around),
        ...nodePoolStatus(pool, members.get(pool.meta.name) ?? [], around),
      ],
    })),
    { actions: resolveNodeClasses(snapshot) },
  ];
  const looks = parts.flatMap(({ lookAgainInMs }) => lookAgainInMs ?? []);
  return {
    actions: parts.flatMap(({ actions }) => actions),
    ...(looks.length === 0 ? {} : { lookAgainInMs: Math.min(...looks) }),
  };
}

const asProgress = ({ actions = [], lookAgainInMs }: ClaimStep): Progress => ({
  actions,
  ...(lookAgainInMs === undefined ? {} : { lookAgainInMs }),
});

function claimsProgress(
  launchGroups: readonly LaunchGroup[],
  launchings: readonly Launching[],
  around: Surroundings,
): readonly Progress[] {
  const launchSteps = new Map(launchings.flatMap(({ steps }) => [...steps]));
  const groups = new Map(
    launchGroups.flatMap((group) => group.members.map(({ meta }) => [meta.uid, group] as const)),
  );
  return around.claims.map((claim) => {
    const { uid, deletedAt } = claim.meta;
    const steps =
      deletedAt === undefined
        ? livingSteps(claim, launchSteps.get(uid) ?? NO_STEP, around)
        : [...terminationSteps(claim, groups.get(uid), around), instanceStatusStep(claim, around)];
    return takeSteps(claim, steps, around.now);
  });
}

/** The first of these that ends the NodeClaim is the last that is taken. */
function livingSteps(
  claim: NodeClaim,
  launching: ClaimStep,
  around: Surroundings,
): readonly ClaimStep[] {
  const ends = [
    launching,
    twinStep(claim, around),
    launchResultStep(claim, around),
    livenessStep(claim, around.now),
    initializationTimeoutStep(claim, around),
    expirationStep(claim, around.now),
    maintenanceStep(claim, around.now),
    garbageStep(claim, around),
    instanceStatusStep(claim, around),
    repairStep(claim, around),
  ];
  const end = ends.find(({ actions = [] }) => actions.some(({ kind }) => kind === 'delete'));
  if (end) return [end];
  const events = podEvents(claim, around);
  return [
    ownershipStep(claim),
    ...ends,
    registrationStep(claim, around),
    initializationStep(claim, around),
    consistencyStep(claim, around),
    hydrationStep(claim, around),
    restampStep(claim, around),
    events.step,
    consolidatableStep(claim, events.lastAt, around),
  ];
}

/**
 * A NodeClaim that somebody else made gets what ours are created with.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/controller.go; nodeclaim/hydration/controller.go.
 */
function ownershipStep(claim: NodeClaim): ClaimStep {
  const { meta, spec, status } = claim;
  const isGrouped = status.providerId !== undefined || groupNameOf(claim) !== undefined;
  const change = metaDifference(meta, {
    labels: { [NODECLASS]: meta.labels[NODECLASS] ?? spec.nodeClassRef.name },
    finalizers: [...new Set([...meta.finalizers, TERMINATION_FINALIZER])],
    ...(isGrouped ? {} : { annotations: asNewGroup([claim]) }),
  });
  return change ? { meta: change, lookAgainInMs: 1_000 } : NO_STEP;
}
