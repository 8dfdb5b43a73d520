import { imageChoice } from '#lib/ec2/images/image-choice.ts';
import type { Instance } from '#lib/model/instance.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import {
  INSTANCE_TYPE,
  NODECLASS_HASH,
  NODECLASS_HASH_VERSION,
  PLACEMENT_GROUP_ID,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';

/** Why an instance is no longer what its NodeClass would launch, in the order they are looked for. */
export type Ec2Drift =
  | 'NodeClassDrift'
  | 'AMIDrift'
  | 'SecurityGroupDrift'
  | 'SubnetDrift'
  | 'CapacityReservationDrift'
  | 'PlacementGroupDrift';

/** What is compared. */
export interface DriftInputs {
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  /** What the NodeClass offers, sold out or not. */
  readonly instanceTypes: readonly InstanceType[];
  /** As EC2 describes it now; where it is absent, what only EC2 knows is not judged. */
  readonly instance?: Instance;
}

/**
 * The first way in which a NodeClaim's instance differs from what its NodeClass stands for now;
 * undefined where it does not; or why that cannot be told. What is not known is never drift: a
 * status without images, subnets or groups says nothing about nodes. No decision acts on it yet.
 *
 * Source: karpenter AWS provider v1.14, cloudprovider/drift.go, isNodeClassDrifted.
 */
export function ec2Drift(inputs: DriftInputs): Ec2Drift | { readonly unknown: string } | undefined {
  const { claim, nodeClass } = inputs;
  if (nodeClass.meta.deletedAt !== undefined) return undefined;
  if (hasStaticDrift(claim, nodeClass)) return 'NodeClassDrift';
  const unknown = whatIsMissing(inputs);
  if (unknown !== undefined) return { unknown };
  return CHECKS.find(([, isDrifted]) => isDrifted(inputs))?.[0];
}

/** Hashes tell only where all four annotations are there and were made alike. */
function hasStaticDrift(claim: NodeClaim, nodeClass: NodeClass): boolean {
  const [made, wanted] = [claim.meta.annotations, nodeClass.meta.annotations];
  const versions = [made[NODECLASS_HASH_VERSION], wanted[NODECLASS_HASH_VERSION]];
  const hashes = [made[NODECLASS_HASH], wanted[NODECLASS_HASH]];
  if ([...versions, ...hashes].includes(undefined)) return false;
  return versions[0] === versions[1] && hashes[0] !== hashes[1];
}

function whatIsMissing({ claim, nodeClass, instanceTypes }: DriftInputs): string | undefined {
  const { amis, subnets, securityGroups } = nodeClass.status;
  const about = `EC2NodeClass ${nodeClass.meta.name}`;
  if (amis.length === 0) return `${about} has no image in its status`;
  if (securityGroups.length === 0) return `${about} has no security group in its status`;
  if (subnets.length === 0) return `${about} has no subnet in its status`;
  if ((claim.status.imageId ?? '') === '') return `NodeClaim ${claim.meta.name} has no image`;
  const type = claim.meta.labels[INSTANCE_TYPE] ?? '';
  const isKnown = instanceTypes.some(({ name }) => name === type);
  return isKnown ? undefined : `its instance type ${type || 'is not told, and'} is not known`;
}

/** Launch and drift choose the image alike; where no image fits the type any more, it has drifted. */
function hasOtherImage({ claim, nodeClass, instanceTypes }: DriftInputs): boolean {
  const type = instanceTypes.find(({ name }) => name === claim.meta.labels[INSTANCE_TYPE]);
  const chosen = type && imageChoice(nodeClass.status.amis)(type);
  return chosen?.id !== claim.status.imageId;
}

function hasOtherGroups({ nodeClass, instance }: DriftInputs): boolean {
  const [has, wanted] = [
    new Set(instance?.securityGroupIds),
    new Set(nodeClass.status.securityGroups.map(({ id }) => id)),
  ];
  return (
    instance?.securityGroupIds !== undefined &&
    (has.size !== wanted.size || [...has].some((id) => !wanted.has(id)))
  );
}

const isInOtherSubnet = ({ nodeClass, instance }: DriftInputs): boolean =>
  instance?.subnetId !== undefined &&
  !nodeClass.status.subnets.some(({ id }) => id === instance.subnetId);

/** An instance that has become on-demand since then is not in a reservation any more. */
const isInOtherReservation = ({ nodeClass, instance }: DriftInputs): boolean =>
  instance?.capacityType === 'reserved' &&
  !nodeClass.status.capacityReservations.some(({ id }) => id === instance.reservationId);

const isInOtherPlacementGroup = ({ claim, nodeClass }: DriftInputs): boolean =>
  (claim.meta.labels[PLACEMENT_GROUP_ID] ?? '') !== (nodeClass.status.placementGroup?.id ?? '');

/** In the order in which they are told. */
const CHECKS: readonly (readonly [Ec2Drift, (inputs: DriftInputs) => boolean])[] = [
  ['AMIDrift', hasOtherImage],
  ['SecurityGroupDrift', hasOtherGroups],
  ['SubnetDrift', isInOtherSubnet],
  ['CapacityReservationDrift', isInOtherReservation],
  ['PlacementGroupDrift', isInOtherPlacementGroup],
];
