import type { ResolvedSubnet } from '#lib/model/node-class.ts';
import type { Candidate } from './launch-filters.ts';

/** How many addresses are spoken for, by subnet. */
export type Addresses = Readonly<Record<string, number>>;

/**
 * The subnet to launch into in each zone: the one with the most free addresses, less those that
 * other launches of this look have been promised; of equals the first of the NodeClass's status.
 *
 * Source: karpenter AWS provider v1.14, providers/subnet/subnet.go, ZonalSubnetsForLaunch.
 */
export function subnetsByZone(
  subnets: readonly ResolvedSubnet[],
  promised: Addresses,
): ReadonlyMap<string, ResolvedSubnet> {
  const freeOf = ({ id, freeAddresses = 0 }: ResolvedSubnet) => freeAddresses - (promised[id] ?? 0);
  const best = new Map<string, ResolvedSubnet>();
  for (const subnet of subnets) {
    const known = best.get(subnet.zone);
    if (known === undefined || freeOf(subnet) > freeOf(known)) best.set(subnet.zone, subnet);
  }
  return best;
}

/**
 * What `count` instances may take of each subnet that they might come up in: each at least the
 * addresses of the smallest type that can be had there. Which zone it will be EC2 decides, so all
 * of them are counted until the answer is there.
 *
 * Source: karpenter AWS provider v1.14, providers/subnet/subnet.go, minPods.
 */
export function addressesFor(
  count: number,
  candidates: readonly Candidate[],
  subnets: ReadonlyMap<string, ResolvedSubnet>,
): Addresses {
  const least = new Map<string, number>();
  for (const { type, offerings } of candidates) {
    for (const { zone } of offerings) {
      const id = subnets.get(zone)?.id;
      const pods = type.capacity.pods ?? 0;
      if (id !== undefined) least.set(id, Math.min(least.get(id) ?? pods, pods));
    }
  }
  return Object.fromEntries([...least].map(([id, pods]) => [id, pods * count]).sort());
}

/** Both together, subnet by subnet. */
export function addAddresses(a: Addresses, b: Addresses): Addresses {
  const sum: Record<string, number> = { ...a };
  for (const [id, count] of Object.entries(b)) sum[id] = (sum[id] ?? 0) + count;
  return sum;
}
