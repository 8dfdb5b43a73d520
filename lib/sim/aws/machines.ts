import { type Account, hex, type Instance, instanceEvent, type Subnet } from './account.ts';
import type { BoughtAhead } from './bought-ahead.ts';
import { type Pool, poolName } from './market.ts';
import { nextPartition } from './placement-groups.ts';
import type { Tags } from './request.ts';

/** How long an instance is pending. Assumed; the boot of its system comes after it. */
const PENDING_MS = [3_000, 9_000] as const;
/** How long an instance shuts down before it is terminated. Assumed. */
const SHUTDOWN_MS = [15_000, 45_000] as const;
/** How long DescribeInstances may not show a new instance. Source: EC2 API, eventual consistency. */
const VISIBLE_MS = [300, 2_500] as const;
/** Between the warning and the end. Source: EC2 User Guide, Spot Instance interruption notices. */
const SPOT_NOTICE_MS = 120_000;

/** Everything that decides what one new instance is. */
export interface Purchase extends BoughtAhead {
  readonly pool: Pool;
  readonly usdPerHour: number;
  readonly subnet: Subnet;
  readonly imageId: string;
  readonly userData: string;
  readonly rootVolumeGib: number;
  readonly securityGroupIds: readonly string[];
  readonly profileArn: string | undefined;
  readonly template: { readonly id: string; readonly name: string };
  readonly fleetId: string;
  readonly tags: Tags;
}

/**
 * Launches one instance. It runs after 3–9 s, is shown by DescribeInstances within 2.5 s, and
 * never fails to boot. Tells the listeners when it runs, and the event bus of each state.
 */
export function launch(account: Account, purchase: Purchase): Instance {
  const { pool, subnet } = purchase;
  const now = account.clock.now();
  const privateIp = nextAddress(account, subnet);
  const instance: Instance = {
    id: `i-0${hex(account.random, 16)}`,
    type: pool.type,
    zone: pool.zone,
    zoneId: account.zones.find(({ name }) => name === pool.zone)?.id ?? '',
    capacityType: pool.capacityType,
    privateIp,
    privateDnsName: dnsName(account.region, privateIp),
    userData: purchase.userData,
    rootVolumeGib: purchase.rootVolumeGib,
    ...(pool.type.instanceStorageGb === undefined
      ? {}
      : { instanceStorageGb: pool.type.instanceStorageGb }),
    launchedAt: now,
    subnetId: subnet.id,
    imageId: purchase.imageId,
    securityGroupIds: purchase.securityGroupIds,
    profileArn: purchase.profileArn,
    fleetId: purchase.fleetId,
    template: purchase.template,
    spotRequestId: pool.capacityType === 'spot' ? `sir-${hex(account.random, 8)}` : undefined,
    usdPerHour: purchase.usdPerHour,
    reservation: purchase.reservation,
    placement: purchase.group && {
      group: purchase.group,
      partition: purchase.partition ?? nextPartition(account, purchase.group),
    },
    visibleAt: now + account.random.between(...VISIBLE_MS),
    tags: purchase.tags,
    terminatedAt: undefined,
    stateReason: undefined,
    state: 'pending',
  };
  account.instances.push(instance);
  account.instancesById.set(instance.id, instance);
  count(account.addressesTaken, subnet.id, 1);
  count(account.addressesDealt, subnet.id, 1);
  if (pool.capacityType === 'spot') count(account.spotTaken, poolName(pool), 1);
  if (instance.reservation !== undefined) instance.reservation.taken += 1;
  note(account, `${describe(instance)} launched at $${instance.usdPerHour}/h`, instance);
  announce(account, instance);
  account.clock.after(account.random.between(...PENDING_MS), () => run(account, instance));
  return instance;
}

function run(account: Account, instance: Instance): void {
  if (instance.state !== 'pending') return;
  instance.state = 'running';
  announce(account, instance);
  for (const listener of account.listeners) listener.started(instance);
}

/**
 * Ends `instance`: it shuts down for 15–45 s (its kubelet hears of it at once), then is terminated.
 * Nothing happens where it is ending already.
 */
export function terminate(
  account: Account,
  instance: Instance,
  reason: { readonly Code: string; readonly Message: string },
): void {
  if (instance.state === 'shutting-down' || instance.state === 'terminated') return;
  instance.state = 'shutting-down';
  instance.stateReason = reason;
  note(account, `${describe(instance)} is shutting down (${reason.Code})`, instance);
  announce(account, instance);
  for (const listener of account.listeners) listener.stopping(instance);
  account.clock.after(account.random.between(...SHUTDOWN_MS), () => finish(account, instance));
}

function finish(account: Account, instance: Instance): void {
  instance.state = 'terminated';
  instance.terminatedAt = account.clock.now();
  count(account.addressesTaken, instance.subnetId, -1);
  if (instance.capacityType === 'spot') count(account.spotTaken, poolName(instance), -1);
  if (instance.reservation !== undefined) instance.reservation.taken -= 1;
  announce(account, instance);
  for (const listener of account.listeners) listener.gone(instance);
}

/** Takes a spot instance back: the warning now, the end in two minutes. */
export function reclaim(account: Account, instance: Instance): void {
  if (instance.capacityType !== 'spot') {
    throw new Error(
      `${instance.id} is ${instance.capacityType}; only spot instances are reclaimed`,
    );
  }
  note(account, `${describe(instance)} will be reclaimed in 2 min`, instance);
  account.publish(
    instanceEvent(account, instance.id, 'EC2 Spot Instance Interruption Warning', {
      'instance-action': 'terminate',
    }),
  );
  account.clock.after(SPOT_NOTICE_MS, () =>
    terminate(account, instance, {
      Code: 'Server.SpotInstanceTermination',
      Message: 'Server.SpotInstanceTermination: Instance terminated due to spot interruption',
    }),
  );
}

/** Says that `instance` is at a raised risk of being reclaimed; nothing follows from it here. */
export function recommendRebalance(account: Account, instance: Instance): void {
  account.publish(instanceEvent(account, instance.id, 'EC2 Instance Rebalance Recommendation', {}));
}

/** m5.large spot i-0abc in us-east-1a. */
const describe = (instance: Instance): string =>
  `${instance.type.name} ${instance.capacityType} ${instance.id} in ${instance.zone}`;

function announce(account: Account, instance: Instance): void {
  account.publish(
    instanceEvent(account, instance.id, 'EC2 Instance State-change Notification', {
      state: instance.state,
    }),
  );
}

function note(account: Account, text: string, instance: Instance): void {
  const { id, type, zone, capacityType, usdPerHour } = instance;
  account.journal.note({
    at: account.clock.now(),
    source: 'ec2',
    text,
    fields: { id, type: type.name, zone, capacityType, usdPerHour },
  });
}

function count(counts: Map<string, number>, key: string, change: number): void {
  counts.set(key, (counts.get(key) ?? 0) + change);
}

/** Addresses are handed out in order and come round again after the subnet's last. */
function nextAddress(account: Account, subnet: Subnet): string {
  const used = account.addressesDealt.get(subnet.id) ?? 0;
  const [network = ''] = subnet.cidr.split('/');
  const octets = network.split('.').map(Number);
  const base = octets.reduce((value, octet) => value * 256 + octet, 0);
  const address = base + 4 + (used % subnet.addresses);
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** Source: VPC User Guide, DNS hostnames: ec2.internal in us-east-1 alone. */
const dnsName = (region: string, ip: string): string =>
  `ip-${ip.replaceAll('.', '-')}.${region === 'us-east-1' ? 'ec2' : `${region}.compute`}.internal`;
