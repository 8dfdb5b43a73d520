import type { Instant } from '../clock.ts';
import { type Account, hex, type Instance, type Operations, type Reservation } from './account.ts';
import { describeById, describePage } from './describe.ts';
import { awsError } from './error.ts';
import { terminate } from './machines.ts';
import { describeTags, type Fields, optionalTexts, type Tags } from './request.ts';

/** What somebody buys ahead. */
export interface ReservationOrder {
  readonly type: string;
  readonly zone: string;
  readonly instances: number;
  /** An ODCR where absent. */
  readonly kind?: Reservation['kind'];
  /** An open one takes in nothing here either that does not name it. */
  readonly criteria?: Reservation['criteria'];
  /** A capacity block must have one. */
  readonly endsAt?: Instant;
  readonly tags?: Tags;
}

/** How long before a capacity block ends its instances do. Source: EC2 User Guide, Capacity Blocks. */
const BLOCK_ENDS_EARLY_MS = 30 * 60_000;

/**
 * Buys capacity ahead: an ODCR, an interruptible one, or a capacity block that has begun. Its
 * instances are there whatever the pools hold. A block's are ended half an hour before it ends;
 * those of an ODCR that ends or is cancelled run on, on demand.
 */
export function reserve(account: Account, order: ReservationOrder): Reservation {
  const { kind = 'default', criteria = 'targeted', endsAt, tags = {} } = order;
  const reservation: Reservation = {
    id: `cr-${hex(account.random, 17)}`,
    type: order.type,
    zone: order.zone,
    instances: order.instances,
    kind,
    criteria,
    tags,
    endsAt,
    taken: 0,
    state: 'active',
  };
  account.reservations.set(reservation.id, reservation);
  if (endsAt === undefined) return reservation;
  const now = account.clock.now();
  if (kind === 'capacity-block') {
    account.clock.after(Math.max(0, endsAt - BLOCK_ENDS_EARLY_MS - now), () =>
      endInstances(account, reservation),
    );
  }
  account.clock.after(Math.max(0, endsAt - now), () => expire(account, reservation, 'expired'));
  return reservation;
}

/** Ends a reservation; what runs in it, runs on demand from now on. */
export function expire(
  account: Account,
  reservation: Reservation,
  state: 'expired' | 'cancelled',
): void {
  if (reservation.state !== 'active') return;
  reservation.state = state;
  reservation.taken = 0;
  for (const instance of instancesOf(account, reservation)) instance.reservation = undefined;
}

function endInstances(account: Account, reservation: Reservation): void {
  for (const instance of instancesOf(account, reservation)) {
    terminate(account, instance, {
      Code: 'Server.CapacityReservationEnd',
      Message: 'Server.CapacityReservationEnd: The Capacity Block ends',
    });
  }
}

const instancesOf = (account: Account, reservation: Reservation): readonly Instance[] =>
  account.instances.filter((instance) => instance.reservation === reservation);

/** How many more instances a reservation can give. */
export const leftOf = ({ state, instances, taken }: Reservation): number =>
  state === 'active' ? Math.max(0, instances - taken) : 0;

/** DescribeCapacityReservations of the account's own reservations. */
export const reservationOperations = (account: Account): Operations => ({
  DescribeCapacityReservations: (input) => describeReservations(account, input),
});

function describeReservations(account: Account, input: Fields): unknown {
  const all = [...account.reservations.values()];
  const ids = optionalTexts(input, 'CapacityReservationIds');
  const wanted = ids
    ? describeById(
        all,
        ids,
        ({ id }) => id,
        ([missing = '']) => reservationNotFound(missing),
      )
    : all;
  const { items, ...rest } = describePage(wanted, input, (each) => ({
    values: {
      'availability-zone': [each.zone],
      'instance-match-criteria': [each.criteria],
      'instance-type': [each.type],
      'owner-id': [account.id],
      state: [each.state],
    },
    tags: each.tags,
  }));
  return { ...rest, CapacityReservations: items.map((each) => described(account, each)) };
}

const described = (account: Account, each: Reservation): unknown => ({
  AvailabilityZone: each.zone,
  AvailableInstanceCount: leftOf(each),
  CapacityReservationId: each.id,
  InstanceMatchCriteria: each.criteria,
  InstanceType: each.type,
  Interruptible: each.kind === 'interruptible',
  OwnerId: account.id,
  ReservationType: each.kind === 'capacity-block' ? 'capacity-block' : 'default',
  State: each.state,
  Tags: describeTags(each.tags),
  TotalInstanceCount: each.instances,
  ...(each.endsAt === undefined
    ? { EndDateType: 'unlimited' }
    : { EndDateType: 'limited', EndDate: new Date(each.endsAt) }),
});

/** What EC2 says of a reservation that is not there. Source: EC2 API, Error codes. */
const reservationNotFound = (id: string): Error =>
  awsError(
    'InvalidCapacityReservationId.NotFound',
    `The Capacity Reservation with ID ${id} does not exist.`,
  );
