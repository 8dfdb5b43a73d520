import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import { type Addresses, addAddresses } from '#lib/ec2/launch/launch-subnets.ts';
import { missedDeadline } from '#lib/lifecycle/joining/liveness.ts';
import { paced } from '#lib/lifecycle/pace.ts';
import type { ClaimStep } from '#lib/lifecycle/step.ts';
import { nodePoolOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { Instance } from '#lib/model/instance.ts';
import { ZONE_ID } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { claimRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import { deletion, giveUp } from './giving-up.ts';
import { elsewhereSteps } from './launch-elsewhere.ts';
import {
  asNewGroup,
  decideGroup,
  type LaunchDecision,
  type LaunchGroup,
  type OtherDecision,
} from './launch-groups.ts';
import { launchesPausedUntil } from './launch-pace.ts';

/** What launching wants: calls to EC2, and what each NodeClaim is told, by uid. */
export interface Launching {
  readonly actions: readonly Action[];
  readonly steps: ReadonlyMap<string, ClaimStep>;
  readonly lookAgainInMs?: number;
}

/** Source of both: DESIGN, an instance that was launched is told to its NodeClaim at once. */
const AFTER_LAUNCH_MS = 1_000;
const WAITING_MS = 5_000;

/**
 * The next step of every launch group: launch it, tell it its instances, or make it anew. What the
 * launches before it may take of the subnets counts for each, so that a batch spreads over them;
 * and while AWS wants to be asked less often, one launch is tried and the others wait for it.
 */
export function launchSteps(
  groups: readonly LaunchGroup[],
  around: Surroundings,
): readonly Launching[] {
  const pausedUntil = launchesPausedUntil(around);
  let promised: Addresses = {};
  let isSent = false;
  return groups.map((group) => {
    const decision = decideGroup(group, around);
    if (decision.kind !== 'launch') return stepOf(decision, group, around);
    if (pausedUntil !== undefined && (isSent || pausedUntil > around.now)) {
      return { ...NOTHING, lookAgainInMs: Math.max(pausedUntil - around.now, AFTER_LAUNCH_MS) };
    }
    const step = launchOrRefuse(decision, around, promised);
    for (const action of step.actions) {
      if (action.kind !== 'launch') continue;
      promised = addAddresses(promised, action.launch.addresses);
      isSent = true;
    }
    return step;
  });
}

function stepOf(decision: OtherDecision, group: LaunchGroup, around: Surroundings): Launching {
  switch (decision.kind) {
    case 'nothing':
      return NOTHING;
    case 'wait':
      return {
        ...NOTHING,
        lookAgainInMs: decision.forMs ?? paced(WAITING_MS, ageOf(group, around)),
      };
    case 'adopt':
      return {
        actions: decision.pairs.map(({ claim, instance }) => adoptionOf(claim, instance, around)),
        steps: new Map(),
        lookAgainInMs: AFTER_LAUNCH_MS,
      };
    case 'regroup':
      return { ...regrouped(decision.groups), lookAgainInMs: AFTER_LAUNCH_MS };
    case 'noCapacity': {
      const steps = elsewhereSteps(decision.claims, decision.attempt, around);
      return { actions: [], steps, lookAgainInMs: AFTER_LAUNCH_MS };
    }
  }
}

const NOTHING: Launching = { actions: [], steps: new Map() };

/** How long the youngest of a group's NodeClaims has been there. */
const ageOf = ({ members }: Pick<LaunchGroup, 'members'>, { now }: Surroundings): number =>
  now - Math.max(...members.map(({ meta }) => meta.createdAt));

function regrouped(groups: readonly (readonly NodeClaim[])[]): Launching {
  const steps = groups.flatMap((claims) => {
    const annotations = asNewGroup(claims);
    return claims.map(({ meta }) => [meta.uid, { meta: { annotations } }] as const);
  });
  return { actions: [], steps: new Map(steps) };
}

/** Tells a NodeClaim the instance that was made for it. */
export function adoptionOf(claim: NodeClaim, instance: Instance, around: Surroundings): Action {
  const { id, instanceType, zone, capacityType, imageId, instanceProfile } = instance;
  const zoneId = zoneIdOf(zone, claim, around) ?? '';
  return {
    kind: 'adoptInstance',
    claim: claimRef(claim),
    instance: {
      ...{ id, instanceType, zone, zoneId, capacityType, imageId },
      ...(instanceProfile === undefined ? {} : { instanceProfile }),
    },
  };
}

function zoneIdOf(zone: string, claim: NodeClaim, around: Surroundings): string | undefined {
  const { name } = claim.spec.nodeClassRef;
  const subnets = around.nodeClasses.get(name)?.status.subnets ?? [];
  const types = around.snapshot.catalog.byNodeClass.get(name) ?? [];
  return (
    subnets.find((subnet) => subnet.zone === zone)?.zoneId ??
    types.flatMap(({ offerings }) => offerings).find((offering) => offering.zone === zone)
      ?.zoneId ??
    claim.meta.labels[ZONE_ID]
  );
}

function launchOrRefuse(
  { claims, attempt }: LaunchDecision,
  around: Surroundings,
  promised: Addresses,
): Launching {
  const [first] = claims;
  // One that is about to be deleted for having waited in vain must not get an instance now.
  const isTooLate = claims.some((claim) => missedDeadline(claim, around.now) !== undefined);
  if (!first || isTooLate) return NOTHING;
  const nodeClass = around.nodeClasses.get(first.spec.nodeClassRef.name);
  const problem = nodeClassProblem(nodeClass, first);
  if (problem !== undefined || nodeClass === undefined) {
    return refused(claims, problem ?? { kind: 'wait', reason: '', message: '' }, around);
  }
  const launch = launchOf(claims, nodePoolOf(around, first), nodeClass, {
    catalog: around.snapshot.catalog,
    settings: around.snapshot.settings,
    attempt,
    promised,
  });
  if (isRejection(launch)) {
    // Another NodeClaim would find no more of the same NodeClass: this one waits for it to change.
    return launch.by === 'instanceTypes'
      ? refused(claims, { kind: 'wait', reason: 'LaunchFailed', message: launch.because }, around)
      : refused(claims, { kind: 'give up', event: launch.because }, around);
  }
  return {
    actions: [{ kind: 'launch', launch }],
    steps: new Map(),
    // Sent, it is looked at again at once; this is for the case that it could not be.
    lookAgainInMs: WAITING_MS,
  };
}

type Refused =
  /** Other capacity must be looked for: the NodeClaim goes, its pods are placed anew. */
  | { readonly kind: 'give up'; readonly event?: string }
  | { readonly kind: 'wait'; readonly reason: string; readonly message: string };

/**
 * What about its NodeClass keeps a NodeClaim from being launched. One whose latest generation was
 * not resolved yet is waited for: upstream deletes the NodeClaim, which only makes another.
 *
 * Source: karpenter AWS provider v1.14, cloudprovider.go, Create.
 */
function nodeClassProblem(nodeClass: NodeClass | undefined, claim: NodeClaim): Refused | undefined {
  const { name } = claim.spec.nodeClassRef;
  if (nodeClass === undefined || nodeClass.meta.deletedAt !== undefined) {
    return { kind: 'give up', event: `EC2NodeClass ${name} is gone or being deleted` };
  }
  const ready = conditionOf(nodeClass.status.conditions, 'Ready');
  if (ready?.status === 'False') return { kind: 'give up' };
  if (ready?.status === 'True' && ready.observedGeneration === nodeClass.meta.generation) {
    return undefined;
  }
  const message = `EC2NodeClass ${name} has not been resolved yet`;
  return { kind: 'wait', reason: 'NodeClassReadinessUnknown', message };
}

function refused(claims: readonly NodeClaim[], problem: Refused, around: Surroundings): Launching {
  if (problem.kind === 'wait') {
    const { reason, message } = problem;
    const condition = { type: LAUNCHED, status: 'Unknown', reason, message } as const;
    return {
      actions: [],
      steps: new Map(claims.map(({ meta }) => [meta.uid, { conditions: [condition] }])),
      lookAgainInMs: paced(WAITING_MS, ageOf({ members: claims }, around)),
    };
  }
  const { event } = problem;
  const steps = claims.map((claim) => {
    const actions =
      event === undefined
        ? [deletion(claim, 'nodeclass_not_ready')]
        : giveUp(claim, event, 'insufficient_capacity');
    return [claim.meta.uid, { actions }] as const;
  });
  return { actions: [], steps: new Map(steps), lookAgainInMs: AFTER_LAUNCH_MS };
}
