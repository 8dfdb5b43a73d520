/** A part of AWS that shares nothing with the others: its own accounts, addresses and ARNs. */
export interface Partition {
  /** As ARNs name it: aws, aws-cn, aws-us-gov … */
  readonly name: string;
  /** Where its price list is asked for in this region; absent where it has none to ask. */
  readonly priceListRegion?: string;
}

/** Source: AWS General Reference, AWS partitions; the SDK's own partitions.json. */
const BY_PREFIX: readonly (readonly [string, string])[] = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
  ['us-isob-', 'aws-iso-b'],
  ['eu-isoe-', 'aws-iso-e'],
  ['us-isof-', 'aws-iso-f'],
  ['us-iso-', 'aws-iso'],
  ['eusc-', 'aws-eusc'],
];

/**
 * The regions whose price list endpoint answers for a region, by how its name begins.
 *
 * Source: karpenter AWS provider v1.14, providers/pricing/pricing.go, NewAPI; AWS Price List API,
 * endpoints, for the partitions that have none.
 */
const PRICE_LISTS: readonly (readonly [string, string])[] = [
  ['ap-', 'ap-south-1'],
  ['cn-', 'cn-northwest-1'],
  ['eu-', 'eu-central-1'],
];
const PRICE_LIST_OF_THE_REST = 'us-east-1';

/** The partition that a region belongs to; aws where its name is not one of the others'. */
export function partitionOf(region: string): Partition {
  const name = BY_PREFIX.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'aws';
  if (name !== 'aws' && name !== 'aws-cn') return { name };
  const list = PRICE_LISTS.find(([prefix]) => region.startsWith(prefix))?.[1];
  return { name, priceListRegion: list ?? PRICE_LIST_OF_THE_REST };
}
