import {
  agrees,
  onlyValue,
  type Requirements,
  requirementsOf,
} from '#lib/constraints/requirements.ts';
import { grantedCapacity } from '#lib/ec2/catalog/granted-capacity.ts';
import { partitionOf } from '#lib/ec2/launch/launch-placement.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { typesForClaim } from '#lib/model/catalog.ts';
import { LAUNCHED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import {
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_TYPE,
  PLACEMENT_GROUP_PARTITION,
  ZONE,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { adoptionOf } from './launching.ts';

const LOOK_AGAIN_MS = 1_000;

/**
 * What the outcome of its launch means for a NodeClaim: with an instance, the capacity and the
 * labels of that type, and Launched; else nothing yet.
 *
 * Source: karpenter v1.14, nodeclaim/lifecycle/launch.go, Reconcile and PopulateNodeClaimDetails.
 */
export function launchResultStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  const { conditions, providerId } = claim.status;
  if (isTrue(conditions, LAUNCHED)) return NO_STEP;
  if (providerId === undefined) return NO_STEP;
  return claim.meta.labels[INSTANCE_TYPE] === undefined
    ? retell(claim, around)
    : complete(claim, around);
}

/** The instance was told to the status but not to the labels: that write was cut off. */
function retell(claim: NodeClaim, around: Surroundings): ClaimStep {
  const instance = around.instances?.get(instanceIdOf(claim.status.providerId) ?? '');
  return {
    actions: instance ? [adoptionOf(claim, instance, around)] : [],
    lookAgainInMs: LOOK_AGAIN_MS,
  };
}

function complete(claim: NodeClaim, { snapshot }: Surroundings): ClaimStep {
  const types = typesForClaim(snapshot.catalog, claim);
  const type = types.find(({ name }) => name === claim.meta.labels[INSTANCE_TYPE]);
  const { name: className } = claim.spec.nodeClassRef;
  const nodeClass = snapshot.nodeClasses.find(({ meta }) => meta.name === className);
  return {
    conditions: [{ type: LAUNCHED, status: 'True' }],
    ...(type ? { status: grantedCapacity(type, claim, nodeClass) } : {}),
    meta: { labels: labelsOfLaunched(claim, type) },
    lookAgainInMs: LOOK_AGAIN_MS,
  };
}

/**
 * The labels that a launched NodeClaim carries: those of its type and offering, over them what
 * its requirements leave one value of, over all what it was created with.
 */
function labelsOfLaunched(
  claim: NodeClaim,
  type: InstanceType | undefined,
): Readonly<Record<string, string>> {
  const asked = requirementsOf(claim.spec.requirements);
  // Of several reservations, or partitions, for one type in one zone the claim names its own.
  const offering = type?.offerings.find(
    ({ zone, capacityType, requirements }) =>
      zone === claim.meta.labels[ZONE] &&
      capacityType === claim.meta.labels[CAPACITY_TYPE] &&
      agrees(requirements, asked),
  );
  const { [PLACEMENT_GROUP_PARTITION]: _any, ...offered } = singleValues(offering?.requirements);
  const partition = partitionOf(asked);
  const labels: Readonly<Record<string, string>> = {
    ...singleValues(type?.requirements),
    ...offered,
    ...singleValues(asked),
    ...(partition === undefined ? {} : { [PLACEMENT_GROUP_PARTITION]: String(partition) }),
    ...claim.meta.labels,
  };
  const { [HOSTNAME]: _hostname, ...others } = labels;
  return others;
}

const singleValues = (requirements: Requirements = new Map()): Record<string, string> =>
  Object.fromEntries(
    [...requirements.keys()].flatMap((key) => {
      const value = onlyValue(requirements, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
