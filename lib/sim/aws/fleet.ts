import { type Account, type Instance, type Operations, uuid } from './account.ts';
import {
  type FleetOffer,
  type FleetOption,
  type FleetRequest,
  readFleetRequest,
} from './fleet-request.ts';
import { dryRun, parameterMismatch } from './launch-templates.ts';
import { launch } from './machines.ts';
import { type Pool, remaining, shortageOf, usdPerHour } from './market.ts';
import { freeAddresses } from './network.ts';
import { roomInGroup } from './placement-groups.ts';
import { type Fields, fingerprint, isFields, tagsFor } from './request.ts';
import { leftOf } from './reservations.ts';

/**
 * CreateFleet, type `instant`: everything happens within the call. Options are tried in the order
 * of the allocation strategy until the target is met; each that gives less than was asked of it is
 * in Errors, those never tried are not. A known client token is answered as the first time, for
 * ever (EC2 forgets after a day or so), and refused where the rest of the request differs.
 *
 * Strategies: lowest-price takes the cheapest pool, equal prices in a random order; on spot,
 * price-capacity-optimized takes the cheapest of the deeper half of the pools (EC2 keeps its
 * formula to itself), capacity-optimized the deepest; prioritized goes by Priority.
 *
 * Source: EC2 User Guide, Allocation strategies; EC2 API, Ensuring idempotency.
 */
export function fleetOperations(account: Account): Operations {
  return { CreateFleet: (input) => createFleet(account, input) };
}

function createFleet(account: Account, input: Fields): unknown {
  const { ClientToken: _, ...asked } = input;
  const asText = fingerprint(asked);
  const known =
    typeof input.ClientToken === 'string' ? account.fleets.get(input.ClientToken) : undefined;
  if (known !== undefined) {
    if (known.fingerprint !== asText) throw parameterMismatch('fleet');
    return known.answer;
  }
  const request = readFleetRequest(account, input);
  tagsFor(input, 'fleet');
  if (input.DryRun === true) throw dryRun();
  const answer = fill(account, request);
  if (request.clientToken !== undefined) {
    account.fleets.set(request.clientToken, { fingerprint: asText, answer });
  }
  return answer;
}

interface Refused {
  readonly option: FleetOption;
  readonly code: string;
  readonly message: string;
}

function fill(account: Account, request: FleetRequest): unknown {
  const fleetId = `fleet-${uuid(account.random)}`;
  const launched: { readonly option: FleetOption; readonly instances: readonly Instance[] }[] = [];
  const errors: Refused[] = [];
  let missing = request.total;
  for (const option of inOrder(account, request)) {
    if (missing === 0) break;
    const limit = limitOf(account, option);
    const amount = Math.min(limit.amount, missing);
    if (amount < missing && limit.refused) errors.push({ option, ...limit.refused });
    if (amount === 0 || 'code' in option.offer) continue;
    const { offer } = option;
    const instances = Array.from({ length: amount }, () =>
      buy(account, { fleetId, request, option, offer }),
    );
    launched.push({ option, instances });
    missing -= amount;
  }
  noteShortage(account, request, missing, errors);
  return {
    FleetId: fleetId,
    Instances: launched.map(({ option, instances }) => ({
      AvailabilityZone: instances[0]?.zone,
      AvailabilityZoneId: instances[0]?.zoneId,
      InstanceIds: instances.map(({ id }) => id),
      InstanceType: instances[0]?.type.name,
      LaunchTemplateAndOverrides: echo(option),
      Lifecycle: request.market === 'capacity-block' ? 'capacity-block' : request.capacityType,
      SubnetId: instances[0]?.subnetId,
    })),
    Errors: errors.map(({ option, code, message }) => ({
      ErrorCode: code,
      ErrorMessage: message,
      LaunchTemplateAndOverrides: echo(option),
      Lifecycle: request.market === 'capacity-block' ? 'capacity-block' : request.capacityType,
    })),
  };
}

interface Limit {
  readonly amount: number;
  readonly refused?: { readonly code: string; readonly message: string };
}

/** How many instances an option can give, and what EC2 says when that is less than asked. */
function limitOf(account: Account, { offer }: FleetOption): Limit {
  if ('code' in offer) return { amount: 0, refused: offer };
  const { pool, subnet, reservation } = offer;
  if (reservation === undefined && usdPerHour(account, pool) === undefined) {
    return {
      amount: 0,
      refused: {
        code: 'InvalidFleetConfiguration',
        message: `Your requested instance type (${pool.type.name}) is not supported in your requested Availability Zone (${pool.zone}).`,
      },
    };
  }
  const capacity = capacityOf(account, offer);
  const addresses = freeAddresses(account, subnet);
  if (addresses >= capacity.amount) return capacity;
  return {
    amount: addresses,
    refused: {
      code: 'InsufficientFreeAddressesInSubnet',
      message: `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
    },
  };
}

/** What its reservation, its placement group or its pool can give. Source: EC2 API, Error codes. */
function capacityOf(account: Account, { pool, reservation, group }: FleetOffer): Limit {
  const room = group ? roomInGroup(account, group, pool.zone) : Number.POSITIVE_INFINITY;
  const left = reservation === undefined ? remaining(account, pool) : leftOf(reservation);
  if (room < left) {
    return {
      amount: room,
      refused: {
        code: 'InsufficientInstanceCapacity',
        message: `You have reached the limit of instances per Availability Zone of the spread placement group '${group?.name}'.`,
      },
    };
  }
  if (reservation === undefined) return { amount: left, refused: shortageOf(account, pool) };
  return {
    amount: left,
    refused: {
      code: 'ReservationCapacityExceeded',
      message: `The requested reservation ${reservation.id} does not have sufficient compatible and available capacity for this request.`,
    },
  };
}

/** The options as the strategy would try them; those that cannot be launched come last. */
function inOrder(account: Account, request: FleetRequest): readonly FleetOption[] {
  const ranked = request.options.map((option) => {
    const pool = 'code' in option.offer ? undefined : option.offer.pool;
    return {
      option,
      priority: option.priority,
      usd: pool
        ? (usdPerHour(account, pool) ?? Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY,
      depth: pool ? depthOf(account, pool) : 0,
      draw: account.random.next(),
    };
  });
  const depths = ranked.map(({ depth }) => depth).sort((a, b) => b - a);
  const deep = depths[Math.ceil(depths.length / 2) - 1] ?? 0;
  const rankOf = (candidate: (typeof ranked)[number]): number => {
    switch (request.strategy) {
      case 'prioritized':
      case 'capacity-optimized-prioritized':
        return candidate.priority;
      case 'capacity-optimized':
        return -candidate.depth;
      case 'price-capacity-optimized':
        return candidate.depth >= deep ? 0 : 1;
      default:
        return 0;
    }
  };
  return ranked
    .sort(
      (a, b) =>
        compare(a.usd === Number.POSITIVE_INFINITY, b.usd === Number.POSITIVE_INFINITY) ||
        compare(rankOf(a), rankOf(b)) ||
        compare(a.usd, b.usd) ||
        a.draw - b.draw,
    )
    .map(({ option }) => option);
}

/** A pool's depth in vCPUs, so that pools of small and of large types can be compared. */
const depthOf = (account: Account, pool: Pool): number =>
  remaining(account, pool) * pool.type.vcpus;

const compare = (a: number | boolean, b: number | boolean): number => (a < b ? -1 : a > b ? 1 : 0);

function buy(
  account: Account,
  {
    fleetId,
    request,
    option,
    offer,
  }: {
    readonly fleetId: string;
    readonly request: FleetRequest;
    readonly option: FleetOption;
    readonly offer: FleetOffer;
  },
): Instance {
  const { template } = option;
  return launch(account, {
    ...offer,
    fleetId,
    usdPerHour: offer.reservation === undefined ? (usdPerHour(account, offer.pool) ?? 0) : 0,
    template: { id: template.id, name: template.name },
    tags: {
      ...tagsFor(template.data, 'instance'),
      ...request.instanceTags,
      'aws:ec2:fleet-id': fleetId,
      'aws:ec2launchtemplate:id': template.id,
      'aws:ec2launchtemplate:version': '1',
    },
  });
}

/** The option as the answer names it: what was asked, and the zone of its subnet. */
function echo({ asked, offer }: FleetOption): unknown {
  if ('code' in offer) return asked;
  const overrides = isFields(asked.Overrides) ? asked.Overrides : {};
  return { ...asked, Overrides: { ...overrides, AvailabilityZone: offer.pool.zone } };
}

function noteShortage(
  account: Account,
  request: FleetRequest,
  missing: number,
  errors: readonly Refused[],
): void {
  if (errors.length === 0) return;
  const codes = [...new Set(errors.map(({ code }) => code))].sort().join(', ');
  account.journal.note({
    at: account.clock.now(),
    source: 'ec2',
    text: `a fleet of ${request.total} ${request.capacityType} found ${errors.length} of ${request.options.length} options short (${codes}); ${missing} not launched`,
  });
}
