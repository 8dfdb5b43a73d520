import type { Clock, Instant } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Machine, MachineListener, MachineType } from '../machine.ts';
import type { Random } from '../random.ts';
import type { Fields, Tags } from './request.ts';

/** An availability zone: its name, and the id that means the same zone in every account. */
export interface Zone {
  readonly name: string;
  readonly id: string;
}

/** A subnet of the account's one VPC. `addresses` is what is free while no instance runs. */
export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  readonly addresses: number;
  readonly tags: Tags;
}

/** A security group of the account's one VPC. */
export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly tags: Tags;
}

/** A machine image. */
export interface Image {
  readonly id: string;
  readonly name: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly createdAt: Instant;
  readonly deprecatedAt: Instant;
  /** amazon, or self for one of the account's own. */
  readonly owner: 'amazon' | 'self';
  readonly tags: Tags;
  /** SSM parameters that name it. */
  readonly parameters: readonly string[];
}

/** A launch template; the embedded EC2 keeps one version of each. */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly data: Fields;
  readonly tags: Tags;
  readonly clientToken: string | undefined;
  readonly fingerprint: string;
}

/** An instance profile of IAM and the roles in it (one at most). */
export interface Profile {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  readonly createdAt: Instant;
  readonly tags: Tags;
  readonly roles: readonly string[];
  /** When EC2 will know of the role: IAM tells the other services a little later. */
  readonly usableAt: Instant;
}

/** Capacity that was bought ahead: an ODCR, one that EC2 may take back, or a block for a time. */
export interface Reservation {
  readonly id: string;
  readonly type: string;
  readonly zone: string;
  readonly instances: number;
  readonly kind: 'default' | 'capacity-block' | 'interruptible';
  readonly criteria: 'open' | 'targeted';
  readonly tags: Tags;
  readonly endsAt: Instant | undefined;
  /** Instances in it that are not terminated. */
  taken: number;
  state: 'active' | 'expired' | 'cancelled';
}

/** A placement group; partitions are those of strategy partition. */
export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  readonly partitions: number | undefined;
  readonly tags: Tags;
}

/** What EC2 says of the health of one instance; what is not said is well. */
export interface Ailment {
  /** Since when the check of the machine, or of the instance's own system, has failed. */
  readonly systemSince?: Instant;
  readonly instanceSince?: Instant;
  readonly events?: readonly {
    readonly code: string;
    readonly description: string;
    readonly startsAt: Instant;
  }[];
}

/** One shift of traffic out of a zone, by a person or by AWS itself. */
export interface Shift {
  readonly zone: string;
  readonly by: 'person' | 'AWS';
  readonly endsAt: Instant;
}

/** An instance as EC2 knows it: the machine, how it was bought, and what it was launched with. */
export interface Instance extends Machine {
  readonly zoneId: string;
  readonly subnetId: string;
  readonly imageId: string;
  readonly securityGroupIds: readonly string[];
  readonly profileArn: string | undefined;
  readonly fleetId: string;
  readonly template: { readonly id: string; readonly name: string };
  readonly spotRequestId: string | undefined;
  /** What it costs since it was launched. */
  readonly usdPerHour: number;
  /** From when DescribeInstances shows it. */
  readonly visibleAt: Instant;
  readonly placement:
    | { readonly group: PlacementGroup; readonly partition: number | undefined }
    | undefined;
  /** The reservation that it counts to, by its own wish. */
  reservation: Reservation | undefined;
  tags: Tags;
  terminatedAt: Instant | undefined;
  stateReason: { readonly Code: string; readonly Message: string } | undefined;
}

/** A pool that has nothing left; `*` for every type, every zone. */
export interface SoldOutRule {
  readonly capacityType: 'on-demand' | 'spot';
  readonly type: string;
  readonly zone: string;
  /** What CreateFleet says; the usual code of the capacity type where absent. */
  readonly code?: 'InsufficientInstanceCapacity' | 'UnfulfillableCapacity';
}

/** An event as EventBridge carries it. */
export interface CloudEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Fields;
}

/** What the parts of the embedded AWS share: one account, seen from one region. */
export interface Account {
  readonly id: string;
  readonly region: string;
  readonly vpcId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly zones: readonly Zone[];
  readonly types: ReadonlyMap<string, MachineType>;
  readonly subnets: readonly Subnet[];
  readonly securityGroups: readonly SecurityGroup[];
  readonly images: Image[];
  readonly templates: Map<string, Template>;
  readonly profiles: Map<string, Profile>;
  /** By id, as are placement groups. */
  readonly reservations: Map<string, Reservation>;
  readonly placementGroups: Map<string, PlacementGroup>;
  /** Every instance there ever was, in the order of launch. */
  readonly instances: Instance[];
  readonly instancesById: Map<string, Instance>;
  /** Instances that are not terminated, counted by subnet id. */
  readonly addressesTaken: Map<string, number>;
  /** Instances that ever were, counted by subnet id. */
  readonly addressesDealt: Map<string, number>;
  /** Spot instances that are not terminated, counted by pool (type/zone). */
  readonly spotTaken: Map<string, number>;
  /** Answers of CreateFleet by client token, with what was asked. */
  readonly fleets: Map<string, { readonly fingerprint: string; readonly answer: unknown }>;
  readonly soldOut: Set<SoldOutRule>;
  /** What ails instances, by id. */
  readonly ailments: Map<string, Ailment>;
  /** Shifts of traffic out of a zone. */
  readonly shifts: Set<Shift>;
  readonly listeners: Set<MachineListener>;
  readonly publish: (event: CloudEvent) => void;
}

/** What one operation does once it has arrived: its answer, or an error thrown. */
type Operation = (input: Fields) => unknown;

/** Operations by name, as the SDK names their commands. */
export type Operations = Readonly<Record<string, Operation>>;

/** `digits` hexadecimal digits. */
export const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.between(0, 15).toString(16)).join('');

/** A version 4 UUID of the embedded world. */
export const uuid = (random: Random): string =>
  [
    hex(random, 8),
    hex(random, 4),
    `4${hex(random, 3)}`,
    `a${hex(random, 3)}`,
    hex(random, 12),
  ].join('-');

/** What an event says; the rest of it is the account's. */
export type AnnouncedEvent = Pick<CloudEvent, 'source' | 'detail-type' | 'detail'> &
  Partial<Pick<CloudEvent, 'resources'>>;

/** An event of this account, at this moment. */
export const eventOf = (account: Account, event: AnnouncedEvent): CloudEvent => ({
  version: '0',
  id: uuid(account.random),
  account: account.id,
  time: new Date(account.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  region: account.region,
  resources: [],
  ...event,
});

/** An event about one instance, as EC2 puts it on the account's default bus. */
export function instanceEvent(
  account: Account,
  instanceId: string,
  detailType: string,
  detail: Fields,
): CloudEvent {
  return eventOf(account, {
    'detail-type': detailType,
    source: 'aws.ec2',
    resources: [`arn:aws:ec2:${account.region}:${account.id}:instance/${instanceId}`],
    detail: { 'instance-id': instanceId, ...detail },
  });
}
