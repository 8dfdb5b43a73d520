import { RESOLVED } from '#lib/model/labels.ts';
import type {
  NodeClass,
  ResolvedAmi,
  ResolvedCapacityReservation,
  ResolvedPlacementGroup,
  ResolvedSubnet,
} from '#lib/model/node-class.ts';
import type { ObjectMeta } from '#lib/model/object.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { decodeConditions } from './decode-meta.ts';
import {
  DecodeError,
  type Decoder,
  list,
  listOf,
  mapOf,
  optional,
  present,
  required,
  type Wire,
  wire,
  withDefault,
} from './field.ts';
import { flag, instant, integer, name, oneOf, text } from './scalar.ts';

/** The version of the joinery.dev/resolved annotation that is read; any other counts as absent. */
const RESOLVED_VERSION = 1;

/**
 * What an EC2NodeClass resolved to: its status, and beside it what the CRD has no field for and
 * an annotation holds (free addresses, what reservations have left, the placement group).
 */
export function decodeNodeClassStatus(
  status: Wire,
  { annotations, createdAt }: ObjectMeta,
): NodeClass['status'] {
  const beside = decodeResolved(annotations[RESOLVED]);
  return {
    subnets: list(status, 'subnets', (value) => decodeSubnet(value, beside)),
    securityGroups: list(status, 'securityGroups', (value) => {
      const securityGroup = wire(value);
      return {
        id: required(securityGroup, 'id', name),
        ...present({ name: optional(securityGroup, 'name', text) }),
      };
    }),
    amis: list(status, 'amis', decodeAmi),
    capacityReservations: list(status, 'capacityReservations', (value) =>
      decodeReservation(value, beside),
    ),
    conditions: decodeConditions(status, createdAt),
    ...present({
      placementGroup: beside.placementGroup,
      instanceProfile: optional(status, 'instanceProfile', text) || undefined,
    }),
  };
}

interface Beside {
  readonly freeAddresses: Readonly<Record<string, number>>;
  readonly availableInstances: Readonly<Record<string, number>>;
  readonly countedAt?: EpochMs;
  readonly placementGroup?: ResolvedPlacementGroup;
}

const NOTHING_BESIDE: Beside = Object.freeze({ freeAddresses: {}, availableInstances: {} });

/** An annotation that cannot be read is written anew at the next resolution. */
function decodeResolved(annotation: string | undefined): Beside {
  if (annotation === undefined) return NOTHING_BESIDE;
  try {
    const beside = wire(JSON.parse(annotation));
    if (beside.version !== RESOLVED_VERSION) return NOTHING_BESIDE;
    return {
      freeAddresses: withDefault(beside, 'freeAddresses', {}, mapOf(integer)),
      availableInstances: withDefault(beside, 'availableInstances', {}, mapOf(integer)),
      ...present({
        countedAt: optional(beside, 'countedAt', instant),
        placementGroup: optional(beside, 'placementGroup', decodePlacementGroup),
      }),
    };
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return NOTHING_BESIDE;
    throw error;
  }
}

const strategy = oneOf('cluster', 'partition', 'spread');

const decodePlacementGroup: Decoder<ResolvedPlacementGroup> = (value) => {
  const placementGroup = wire(value);
  return {
    id: required(placementGroup, 'id', name),
    name: required(placementGroup, 'name', text),
    strategy: required(placementGroup, 'strategy', strategy),
    ...present({ partitions: optional(placementGroup, 'partitions', integer) }),
  };
};

function decodeSubnet(value: unknown, { freeAddresses }: Beside): ResolvedSubnet {
  const subnet = wire(value);
  const id = required(subnet, 'id', name);
  return {
    id,
    zone: required(subnet, 'zone', name),
    zoneId: withDefault(subnet, 'zoneID', '', text),
    ...present({ freeAddresses: freeAddresses[id] }),
  };
}

const amiOperator = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist');

const decodeAmi: Decoder<ResolvedAmi> = (value) => {
  const ami = wire(value);
  return {
    id: required(ami, 'id', name),
    name: withDefault(ami, 'name', '', text),
    deprecated: withDefault(ami, 'deprecated', false, flag),
    requirements: list(ami, 'requirements', (found) => {
      const requirement = wire(found);
      return {
        key: required(requirement, 'key', name),
        operator: required(requirement, 'operator', amiOperator),
        ...present({ values: optional(requirement, 'values', listOf(text)) }),
      };
    }),
  };
};

const matchCriteria = oneOf('open', 'targeted');
const reservationType = oneOf('default', 'capacity-block');
const reservationState = oneOf('active', 'expiring');

/** Source of the defaults: karpenter-provider-aws v1.14 CRDs, status.capacityReservations. */
function decodeReservation(
  value: unknown,
  { availableInstances, countedAt }: Beside,
): ResolvedCapacityReservation {
  const reservation = wire(value);
  const id = required(reservation, 'id', name);
  return {
    id,
    instanceType: required(reservation, 'instanceType', name),
    zone: required(reservation, 'availabilityZone', name),
    ownerId: required(reservation, 'ownerID', text),
    instanceMatchCriteria: required(reservation, 'instanceMatchCriteria', matchCriteria),
    reservationType: withDefault(reservation, 'reservationType', 'default', reservationType),
    interruptible: withDefault(reservation, 'interruptible', false, flag),
    state: withDefault(reservation, 'state', 'active', reservationState),
    ...present({
      endsAt: optional(reservation, 'endTime', instant),
      availableInstances: availableInstances[id],
      countedAt,
    }),
  };
}
