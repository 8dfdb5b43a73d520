import { compareText } from '#lib/constraints/order.ts';
import { aliasOf, amiFamilyOf } from '#lib/ec2/images/ami-family.ts';
import { aliasProblem } from '#lib/ec2/images/image-parameters.ts';
import { resolvedImages } from '#lib/ec2/images/resolved-images.ts';
import { type ConditionChange, conditionOf } from '#lib/model/conditions.ts';
import type {
  NodeClass,
  ResolvedCapacityReservation,
  ResolvedPlacementGroup,
  ResolvedSubnet,
} from '#lib/model/node-class.ts';
import type {
  FoundCapacityReservation,
  NodeClassFacts,
  Unanswered,
} from '#lib/model/node-class-facts.ts';
import type { StatusChange } from '#lib/model/plan.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { instanceProfileOf } from './instance-profile.ts';

/** The condition types of what an EC2NodeClass selects, in the order in which they are told. */
export const RESOLVED_CONDITIONS = {
  amis: 'AMIsReady',
  capacityReservations: 'CapacityReservationsReady',
  placementGroup: 'PlacementGroupReady',
  subnets: 'SubnetsReady',
  securityGroups: 'SecurityGroupsReady',
  instanceProfile: 'InstanceProfileReady',
} as const;

/** What one part of the facts means: what the status says then, and the part's condition. */
interface Part {
  readonly status: StatusChange;
  /** Absent: unknown, or none is selected. */
  readonly placementGroup?: ResolvedPlacementGroup;
  /** Absent: nothing was learnt, the condition stays. */
  readonly condition?: Pick<ConditionChange, 'type' | 'status' | 'reason' | 'message'>;
}

type PartOf = (
  nodeClass: NodeClass,
  facts: NodeClassFacts,
  context: { readonly settings: PartSettings; readonly now: EpochMs },
) => Part;

type PartSettings = Pick<ClusterSettings, 'clusterName' | 'region' | 'kubernetesVersion'>;

const images: PartOf = (nodeClass, facts, { settings, now }) => {
  const type = RESOLVED_CONDITIONS.amis;
  const alias = aliasOf(nodeClass);
  const problem = alias && aliasProblem(alias, settings.kubernetesVersion);
  if (problem !== undefined) {
    return { status: { amis: [] }, condition: isFalse(type, 'UnsupportedAlias', problem) };
  }
  if ('failed' in facts.images) return unanswered(nodeClass, type, facts.images);
  const amis = resolvedImages(facts.images, now, amiFamilyOf(nodeClass).windowsBuild);
  const none = isFalse(type, 'AMINotFound', 'AMISelector did not match any AMIs');
  return { status: { amis }, condition: amis.length > 0 ? isTrue(type) : none };
};

const subnets: PartOf = (nodeClass, { subnets: found }) => {
  const type = RESOLVED_CONDITIONS.subnets;
  if ('failed' in found) return unanswered(nodeClass, type, found);
  const none = isFalse(type, 'SubnetsNotFound', 'SubnetSelector did not match any Subnets');
  return {
    status: {
      subnets: [...found].sort(byFreeAddresses).map(({ vpcId: _, ...subnet }) => subnet),
    },
    condition: found.length > 0 ? isTrue(type) : none,
  };
};

const byFreeAddresses = (a: ResolvedSubnet, b: ResolvedSubnet): number =>
  (b.freeAddresses ?? 0) - (a.freeAddresses ?? 0) || compareText(a.id, b.id);

const securityGroups: PartOf = (nodeClass, { securityGroups: found }) => {
  const type = RESOLVED_CONDITIONS.securityGroups;
  if ('failed' in found) return unanswered(nodeClass, type, found);
  const message = 'SecurityGroupSelector did not match any SecurityGroups';
  return {
    status: {
      securityGroups: [...found]
        .sort((a, b) => compareText(a.id, b.id))
        .map(({ vpcIds: _, ...group }) => group),
    },
    condition: found.length > 0 ? isTrue(type) : isFalse(type, 'SecurityGroupsNotFound', message),
  };
};

/** Capacity blocks take nothing new from then on. Source: karpenter AWS provider v1.14. */
const EXPIRES_BEFORE_END_MS = 40 * 60_000;

const capacityReservations: PartOf = (nodeClass, facts, { now }) => {
  const type = RESOLVED_CONDITIONS.capacityReservations;
  const found = facts.capacityReservations ?? [];
  if ('failed' in found) return unanswered(nodeClass, type, found);
  const current = found
    .filter(({ endsAt }) => endsAt === undefined || endsAt > now)
    .sort((a, b) => compareText(a.id, b.id))
    .map((reservation) => ({
      ...reservation,
      state: stateOf(reservation, now),
      countedAt: now,
    }));
  return { status: { capacityReservations: current }, condition: isTrue(type) };
};

function stateOf(
  { reservationType, endsAt }: FoundCapacityReservation,
  now: EpochMs,
): ResolvedCapacityReservation['state'] {
  if (reservationType !== 'capacity-block' || endsAt === undefined) return 'active';
  return now >= endsAt - EXPIRES_BEFORE_END_MS ? 'expiring' : 'active';
}

const placementGroup: PartOf = (nodeClass, { placementGroups: found = [] }) => {
  const type = RESOLVED_CONDITIONS.placementGroup;
  const selector = nodeClass.spec.placementGroupSelector;
  if (selector === undefined) return { status: {}, condition: isTrue(type) };
  if ('failed' in found) {
    const { placementGroup: known } = nodeClass.status;
    const kept: Part = { status: {}, ...(known && { placementGroup: known }) };
    if (isKnown(nodeClass, type)) return kept;
    return { ...kept, condition: isFalse(type, 'PlacementGroupResolutionFailed', found.failed) };
  }
  const [group] = found;
  if (group !== undefined) return { status: {}, placementGroup: group, condition: isTrue(type) };
  const message = `There is no available placement group ${selector.name ?? selector.id}`;
  return { status: {}, condition: isFalse(type, 'PlacementGroupNotFound', message) };
};

/**
 * A profile that the user named is taken at its word; whether it is there is for validation. For a
 * role, any profile that is kept for the NodeClass will do, the one in use first.
 */
const instanceProfile: PartOf = (nodeClass, { instanceProfiles: found }, { settings }) => {
  const type = RESOLVED_CONDITIONS.instanceProfile;
  const named = nodeClass.spec.instanceProfile;
  if (named !== undefined) return { status: { instanceProfile: named }, condition: isTrue(type) };
  if ('failed' in found) return unanswered(nodeClass, type, found);
  const wanted = instanceProfileOf(nodeClass, settings);
  const [best] = found
    .filter(({ roles }) => wanted !== undefined && roles.includes(wanted.role))
    .sort(
      (a, b) =>
        Number(b.name === nodeClass.status.instanceProfile) -
          Number(a.name === nodeClass.status.instanceProfile) ||
        Number(b.name === wanted?.profile) - Number(a.name === wanted?.profile) ||
        compareText(a.name, b.name),
    );
  if (best === undefined) return { status: {} };
  return { status: { instanceProfile: best.name }, condition: isTrue(type) };
};

/**
 * What the facts mean for each part of a NodeClass's status. A part that AWS did not answer keeps
 * what was known of this generation; where nothing was, its condition says why it is not known.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclass.
 */
export const PARTS: readonly PartOf[] = [
  images,
  capacityReservations,
  placementGroup,
  subnets,
  securityGroups,
  instanceProfile,
];

function unanswered(nodeClass: NodeClass, type: string, { failed }: Unanswered): Part {
  if (isKnown(nodeClass, type)) return { status: {} };
  const message = withoutRequestId(failed);
  return {
    status: {},
    condition: { type, status: 'Unknown', reason: 'ResolutionFailed', message },
  };
}

/** Whether a condition was found out about the present generation. */
function isKnown({ meta, status }: NodeClass, type: string): boolean {
  const known = conditionOf(status.conditions, type);
  return (
    known !== undefined &&
    known.status !== 'Unknown' &&
    known.observedGeneration === meta.generation
  );
}

/** What differs from one answer to the next would be written again at each look. */
const withoutRequestId = (message: string): string =>
  message.replace(/[. ]*(Encoded authorization failure message|\(?Request ?ID):?.*$/is, '');

const isTrue = (type: string) => ({ type, status: 'True' }) as const;

const isFalse = (type: string, reason: string, message: string) =>
  ({ type, status: 'False', reason, message }) as const;
