import { formatResources } from '#lib/constraints/resources.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import { present, type Wire } from '#lib/kube/decode/field.ts';
import type { ResolvedCapacityReservation } from '#lib/model/node-class.ts';
import type { Condition, Owner } from '#lib/model/object.ts';
import type { MetaChange, StatusChange } from '#lib/model/plan.ts';
import { formatInstant } from '#lib/model/time.ts';
import { encodeTaint } from './encode-node-claim.ts';

/** A merge patch of an object's metadata and, for Nodes, of its taints. */
export function encodeChange(meta: MetaChange, taints: readonly Taint[] | undefined): Wire {
  const { labels, annotations, finalizers, owners } = meta;
  return {
    metadata: present({
      labels,
      annotations,
      finalizers,
      ownerReferences: owners?.map(encodeOwner),
    }),
    ...(taints !== undefined && { spec: { taints: taints.map(encodeTaint) } }),
  };
}

const encodeOwner = ({ controller, ...owner }: Owner): Wire => ({
  ...owner,
  blockOwnerDeletion: true,
  ...(controller && { controller }),
});

/** A merge patch of an object's status; only what is given is named. */
export function encodeStatus(status: StatusChange): Wire {
  return present({
    conditions: status.conditions?.map(encodeCondition),
    nodeName: status.nodeName,
    capacity: status.capacity && formatResources(status.capacity),
    allocatable: status.allocatable && formatResources(status.allocatable),
    lastPodEventTime: instantText(status.lastPodEventAt),
    resources: status.resources && formatResources(status.resources),
    nodes: status.nodes,
    nodeClassObservedGeneration: status.nodeClassObservedGeneration,
    subnets: status.subnets?.map(({ id, zone, zoneId }) => ({
      id,
      zone,
      ...(zoneId !== '' && { zoneID: zoneId }),
    })),
    securityGroups: status.securityGroups,
    amis: status.amis?.map(({ deprecated, ...ami }) => ({
      ...ami,
      ...(deprecated && { deprecated }),
    })),
    capacityReservations: status.capacityReservations?.map(encodeReservation),
    instanceProfile: status.instanceProfile,
    podTemplateRef: status.podTemplateName && { name: status.podTemplateName },
    replicas: status.replicas,
    podTemplateGeneration: status.podTemplateGeneration,
    provisioningStrategy: status.provisioningStrategy,
  });
}

const encodeReservation = (reservation: ResolvedCapacityReservation): Wire => ({
  id: reservation.id,
  instanceType: reservation.instanceType,
  availabilityZone: reservation.zone,
  ownerID: reservation.ownerId,
  instanceMatchCriteria: reservation.instanceMatchCriteria,
  reservationType: reservation.reservationType,
  interruptible: reservation.interruptible,
  state: reservation.state,
  ...present({ endTime: instantText(reservation.endsAt) }),
});

/** The wire has no instants finer than a second. */
const instantText = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : formatInstant(at - (at % 1_000));

/** A condition. Its reason may not be empty: the type stands in, as upstream does it. */
export const encodeCondition = (condition: Condition): Wire => ({
  type: condition.type,
  status: condition.status,
  reason: condition.reason === '' ? condition.type : condition.reason,
  message: condition.message,
  lastTransitionTime: instantText(condition.changedAt),
  ...present({ observedGeneration: condition.observedGeneration }),
});
