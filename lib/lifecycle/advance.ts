import { accountGarbage } from '#lib/lifecycle/health/account-garbage.ts';
import { consistencyStep } from '#lib/lifecycle/health/consistency.ts';
import { consolidatableStep } from '#lib/lifecycle/health/consolidatable.ts';
import { expirationStep } from '#lib/lifecycle/health/expiration.ts';
import { garbageStep } from '#lib/lifecycle/health/garbage.ts';
import { instanceStatusStep } from '#lib/lifecycle/health/instance-status.ts';
import { maintenanceStep } from '#lib/lifecycle/health/maintenance.ts';
import { repairStep } from '#lib/lifecycle/health/repair.ts';
import { twinStep } from '#lib/lifecycle/health/twins.ts';
import { hydrationStep } from '#lib/lifecycle/joining/hydration.ts';
import { initializationStep } from '#lib/lifecycle/joining/initialization.ts';
import { initializationTimeoutStep, livenessStep } from '#lib/lifecycle/joining/liveness.ts';
import { registrationStep } from '#lib/lifecycle/joining/registration.ts';
import { taggingActions } from '#lib/lifecycle/launch/instance-tagging.ts';
import {
  asNewGroup,
  groupNameOf,
  type LaunchGroup,
  launchGroupsOf,
} from '#lib/lifecycle/launch/launch-groups.ts';
import { launchResultStep } from '#lib/lifecycle/launch/launch-result.ts';
import { type Launching, launchSteps } from '#lib/lifecycle/launch/launching.ts';
import { hashActions, restampStep } from '#lib/lifecycle/status/hash-stamping.ts';
import { nodePoolStatus, poolOf } from '#lib/lifecycle/status/node-pool-status.ts';
import { podEvents } from '#lib/lifecycle/status/pod-events.ts';
import { zonalShiftEvents } from '#lib/lifecycle/status/zonal-shift-events.ts';
import {
  deadlineEvents,
  deletedNodeSteps,
  terminationSteps,
} from '#lib/lifecycle/termination/termination.ts';
import { NODECLASS, TERMINATION_FINALIZER } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { resolveNodeClasses } from './node-class.ts';
import { type ClaimStep, metaDifference, NO_STEP, type Progress, takeSteps } from './step.ts';
import { grouped, type Surroundings, servedPools, surroundingsOf } from './surroundings.ts';

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
