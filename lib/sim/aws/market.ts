import type { MachineType } from '../machine.ts';
import type { Account, SoldOutRule } from './account.ts';

/** One pool of capacity: a type in a zone, bought one way. */
export interface Pool {
  readonly capacityType: 'on-demand' | 'spot';
  readonly type: MachineType;
  readonly zone: string;
}

const HOUR_MS = 3_600_000;
/** How far a spot price strays from its estimate, up or down, from one hour to the next. */
const SPOT_WOBBLE = 0.05;
/** vCPUs that a spot pool holds, drawn once for each pool. A guess: EC2 publishes no figure. */
const SPOT_POOL_VCPUS = [400, 6_000] as const;

/**
 * What the pool costs now, in USD an hour; undefined where EC2 does not sell it. On-demand prices
 * are the table's; spot prices stray from the table's by up to 5 %, anew each hour.
 */
export function usdPerHour(account: Account, pool: Pool): number | undefined {
  if (pool.capacityType === 'on-demand') return pool.type.onDemandUsd[pool.zone];
  const usual = pool.type.spotUsd[pool.zone];
  if (usual === undefined) return undefined;
  const hour = Math.floor(account.clock.now() / HOUR_MS);
  const draw = account.random.fork(`price/${poolName(pool)}/${hour}`).next();
  return Math.round(usual * (1 + (2 * draw - 1) * SPOT_WOBBLE) * 10_000) / 10_000;
}

/**
 * How many more instances the pool can give now: none while it is sold out, else as many as are
 * asked for on demand, and on spot what the depth of the pool leaves. Quotas are not modelled.
 */
export function remaining(account: Account, pool: Pool): number {
  if (soldOutRule(account, pool) !== undefined) return 0;
  if (pool.capacityType === 'on-demand') return Number.POSITIVE_INFINITY;
  const depth = account.random.fork(`depth/${poolName(pool)}`).between(...SPOT_POOL_VCPUS);
  const taken = account.spotTaken.get(poolName(pool)) ?? 0;
  return Math.max(0, Math.floor(depth / pool.type.vcpus) - taken);
}

/** What CreateFleet says of a pool that has nothing left. Source: EC2 API, Error codes. */
export function shortageOf(account: Account, pool: Pool): { code: string; message: string } {
  const code =
    soldOutRule(account, pool)?.code ??
    (pool.capacityType === 'spot' ? 'UnfulfillableCapacity' : 'InsufficientInstanceCapacity');
  return {
    code,
    message:
      code === 'UnfulfillableCapacity'
        ? 'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.'
        : `We currently do not have sufficient ${pool.type.name} capacity in the Availability Zone you requested (${pool.zone}).`,
  };
}

/** A spot pool's key in `Account.spotTaken`. */
export const poolName = (pool: Pick<Pool, 'type' | 'zone'>): string =>
  `${pool.type.name}/${pool.zone}`;

const soldOutRule = (account: Account, pool: Pool): SoldOutRule | undefined =>
  [...account.soldOut].find(
    (rule) =>
      rule.capacityType === pool.capacityType &&
      (rule.type === '*' || rule.type === pool.type.name) &&
      (rule.zone === '*' || rule.zone === pool.zone),
  );
