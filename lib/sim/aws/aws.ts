import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { MachineListener, MachineType } from '../machine.ts';
import type { Random } from '../random.ts';
import {
  type Account,
  type Ailment,
  type AnnouncedEvent,
  type CloudEvent,
  eventOf,
  type Image,
  type Instance,
  type Operations,
  type SecurityGroup,
  type SoldOutRule,
  type Subnet,
  type Zone,
} from './account.ts';
import { createCallCounts } from './call-counts.ts';
import { type ClusterFacts, clusterOperations } from './cluster.ts';
import { awsError } from './error.ts';
import { eventBusOperations } from './event-bus.ts';
import { fleetOperations } from './fleet.ts';
import { imageOperations } from './images.ts';
import { instanceStatusOperations } from './instance-status.ts';
import { instanceOperations } from './instances.ts';
import { launchTemplateOperations } from './launch-templates.ts';
import { reclaim, recommendRebalance, terminate } from './machines.ts';
import { marketOperations } from './market-operations.ts';
import { networkOperations } from './network.ts';
import {
  makePlacementGroup,
  type PlacementGroupOrder,
  placementGroupOperations,
} from './placement-groups.ts';
import { profileOperations } from './profiles.ts';
import type { Queue } from './queue.ts';
import { queueOperations } from './queue-operations.ts';
import { isFields } from './request.ts';
import {
  expire,
  leftOf,
  type ReservationOrder,
  reservationOperations,
  reserve,
} from './reservations.ts';
import { trespassesOf } from './trespass.ts';
import { shiftAway, zonalShiftOperations } from './zonal-shift.ts';

/** What the embedded AWS is made of. */
export interface AwsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly region: string;
  readonly zones: readonly Zone[];
  readonly types: readonly MachineType[];
  readonly subnets: readonly Subnet[];
  readonly securityGroups: readonly SecurityGroup[];
  readonly images: readonly Image[];
  /** Asked at each call to EKS. */
  readonly clusters: () => readonly ClusterFacts[];
  /** Asked at each call to SQS. */
  readonly queues: () => readonly Queue[];
  /** Hears what the account's event bus carries. */
  readonly onEvent: (event: CloudEvent) => void;
}

/** The next `times` calls of `name` fail with `code`: throttling, an outage, a missing permission. */
interface CallFailure {
  /** An operation, or * for any. */
  readonly name: string;
  /** RequestLimitExceeded, InternalError, UnauthorizedOperation … */
  readonly code: string;
  readonly times: number;
}

interface PlannedFailure extends CallFailure {
  /** How many calls are still to fail. */
  left: number;
}

/** The embedded AWS, from above (calls) and from behind (what its weather does). */
export interface EmbeddedAws {
  /**
   * The seam, for one caller: performs `name`, or rejects as the AWS SDK would. What it does in the
   * name of a cluster is checked for what it touches of others.
   */
  readonly call: (
    actor: string,
    clusterName?: string,
  ) => (name: string, input: unknown) => Promise<unknown>;
  /** What was touched of others in the name of a cluster. */
  readonly trespasses: () => readonly string[];
  /** Every instance there ever was, in the order of launch. */
  readonly machines: () => readonly Instance[];
  readonly listen: (listener: MachineListener) => void;
  /** How often each operation was called so far, sorted by name; by one actor, or by all. */
  readonly calls: (actor?: string) => Readonly<Record<string, number>>;
  /** Empties pools until the answer's `lift` is called. */
  readonly sellOut: (rule: SoldOutRule) => { readonly lift: () => void };
  /** Until so many calls have failed, or the answer's `lift` is called. */
  readonly failNext: (failure: CallFailure) => { readonly lift: () => void };
  /** The two-minute warning for a spot instance, then its end. */
  readonly reclaim: (instanceId: string) => void;
  readonly recommendRebalance: (instanceId: string) => void;
  /** What EC2 says of an instance's health from now on; nothing makes it well. */
  readonly ail: (instanceId: string, ailment: Ailment) => void;
  /** Puts an event on the default bus, as EC2, AWS Health or anybody else does. */
  readonly announce: (event: AnnouncedEvent) => void;
  /** Ends an instance as somebody at the console would. */
  readonly terminate: (instanceId: string) => void;
  /** Buys capacity ahead; the answer tells its id and what is left, and cancels it. */
  readonly reserve: (order: ReservationOrder) => {
    readonly id: string;
    readonly left: () => number;
    readonly cancel: () => void;
  };
  /** Shifts traffic out of a zone until the answer's `end` is called. */
  readonly shiftAway: (order: Parameters<typeof shiftAway>[1]) => ReturnType<typeof shiftAway>;
  /** Makes a placement group, and answers its id. */
  readonly makePlacementGroup: (order: PlacementGroupOrder) => string;
  /** Amazon, or the account's owner, publishes more images. */
  readonly publishImages: (images: readonly Image[]) => void;
}

/** Round trip by operation, in milliseconds. Source: measured from Lambda by many; assumed here. */
const LATENCY_MS: Readonly<Record<string, readonly [number, number]>> = {
  CreateFleet: [700, 1_600],
  SendMessage: [6, 15],
  ReceiveMessage: [6, 15],
  DeleteMessage: [6, 15],
  GetParameter: [15, 50],
  GetParameters: [15, 50],
};
const USUAL_LATENCY_MS = [80, 400] as const;

/** The account that all embedded ARNs and queue addresses name. */
export const ACCOUNT_ID = '111122223333';

/**
 * EC2, its price list, IAM's instance profiles, SSM's image parameters, SQS and EKS's clusters, as one
 * account in one region. A call travels, takes effect, and its answer travels back; it takes
 * effect even where nobody waits for it any more. Not modelled: permissions, quotas, request
 * buckets (`failNext` throttles instead), and every operation not named here, which is refused.
 */
export function createAws(options: AwsOptions): EmbeddedAws {
  const account = accountOf(options);
  const operations = operationsOf(account, options);
  const counts = createCallCounts();
  const trespasses: string[] = [];
  const failures: PlannedFailure[] = [];
  const latency = options.random.fork('latency');
  const call = async (name: string, input: unknown): Promise<unknown> => {
    const [least, most] = LATENCY_MS[name] ?? USUAL_LATENCY_MS;
    const roundTripMs = latency.between(least, most);
    const thereMs = Math.ceil(roundTripMs / 2);
    await options.clock.sleep(thereMs);
    const result = perform(operations, failures, name, structuredClone(input));
    await options.clock.sleep(roundTripMs - thereMs);
    if ('error' in result) throw result.error;
    return result.answer;
  };
  return {
    call: (actor, clusterName) => async (name, input) => {
      counts.note(actor, name);
      if (clusterName !== undefined) {
        trespasses.push(...trespassesOf(account, clusterName, name, input));
      }
      return await call(name, input);
    },
    trespasses: () => trespasses,
    machines: () => account.instances,
    listen: (listener) => {
      account.listeners.add(listener);
    },
    calls: counts.sum,
    sellOut: (rule) => {
      const held = { ...rule };
      account.soldOut.add(held);
      return { lift: () => void account.soldOut.delete(held) };
    },
    failNext: (failure) => {
      const planned = { ...failure, left: failure.times };
      failures.push(planned);
      return {
        lift: () => {
          planned.left = 0;
        },
      };
    },
    reclaim: (id) => reclaim(account, known(account, id)),
    announce: (event) => account.publish(eventOf(account, event)),
    recommendRebalance: (id) => recommendRebalance(account, known(account, id)),
    ail: (id, ailment) => void account.ailments.set(known(account, id).id, ailment),
    terminate: (id) =>
      terminate(account, known(account, id), {
        Code: 'Client.UserInitiatedShutdown',
        Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
      }),
    reserve: (order) => {
      const reservation = reserve(account, order);
      return {
        id: reservation.id,
        left: () => leftOf(reservation),
        cancel: () => expire(account, reservation, 'cancelled'),
      };
    },
    shiftAway: (order) => shiftAway(account, order),
    makePlacementGroup: (order) => makePlacementGroup(account, order).id,
    publishImages: (images) => void account.images.push(...images),
  };
}

const operationsOf = (account: Account, options: AwsOptions): Operations => ({
  ...eventBusOperations(account),
  ...fleetOperations(account),
  ...imageOperations(account),
  ...instanceOperations(account),
  ...instanceStatusOperations(account),
  ...launchTemplateOperations(account),
  ...marketOperations(account),
  ...networkOperations(account),
  ...profileOperations(account),
  ...placementGroupOperations(account),
  ...reservationOperations(account),
  ...queueOperations(options.queues),
  ...clusterOperations(account, options.clusters),
  ...zonalShiftOperations(account, options.clusters),
});

const accountOf = (options: AwsOptions): Account => ({
  id: ACCOUNT_ID,
  region: options.region,
  vpcId: 'vpc-0embedded',
  clock: options.clock,
  random: options.random.fork('aws'),
  journal: options.journal,
  zones: options.zones,
  types: new Map(options.types.map((type) => [type.name, type])),
  subnets: options.subnets,
  securityGroups: options.securityGroups,
  images: [...options.images],
  templates: new Map(),
  profiles: new Map(),
  instances: [],
  instancesById: new Map(),
  addressesTaken: new Map(),
  addressesDealt: new Map(),
  spotTaken: new Map(),
  fleets: new Map(),
  reservations: new Map(),
  placementGroups: new Map(),
  ailments: new Map(),
  soldOut: new Set(),
  shifts: new Set(),
  listeners: new Set(),
  publish: options.onEvent,
});

type Result = { readonly answer: unknown } | { readonly error: unknown };

function perform(
  operations: Operations,
  failures: readonly PlannedFailure[],
  name: string,
  input: unknown,
): Result {
  try {
    const operation = operations[name];
    if (operation === undefined) {
      throw awsError('InvalidAction', `The embedded AWS does not know the operation ${name}.`);
    }
    failWherePlanned(failures, name);
    if (!isFields(input)) throw awsError('ValidationError', `${name} takes an object.`);
    return { answer: structuredClone(operation(input)) };
  } catch (error) {
    return { error };
  }
}

function failWherePlanned(failures: readonly PlannedFailure[], name: string): void {
  const failure = failures.find(
    (planned) => planned.left > 0 && (planned.name === name || planned.name === '*'),
  );
  if (failure === undefined) return;
  failure.left -= 1;
  throw awsError(failure.code, `${name} failed by plan of the embedded world.`);
}

function known(account: Account, id: string): Instance {
  const instance = account.instancesById.get(id);
  if (instance === undefined) throw new Error(`The embedded EC2 has no instance ${id}`);
  return instance;
}
