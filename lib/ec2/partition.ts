/** A part of AWS that shares nothing with the others: its own accounts, addresses and ARNs. */
export interface Partition {
  /** As ARNs name it: aws, aws-cn, aws-us-gov … */
  readonly name: string;
  /** What the addresses of its services end in. */
  readonly dnsSuffix: string;
  /** Where its price list is asked for in this region; absent where it has none to ask. */
  readonly priceListRegion?: string;
}

/** Source: AWS General Reference, AWS partitions; the SDK's own partitions.json. */
const BY_PREFIX: readonly (readonly [prefix: string, name: string, dnsSuffix: string])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'aws-iso-e', 'cloud.adc-e.uk'],
  ['us-isof-', 'aws-iso-f', 'csp.hci.ic.gov'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu'],
];
const REST = ['', 'aws', 'amazonaws.com'] as const;

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
  const [, name, dnsSuffix] = BY_PREFIX.find(([prefix]) => region.startsWith(prefix)) ?? REST;
  if (name !== 'aws' && name !== 'aws-cn') return { name, dnsSuffix };
  const list = PRICE_LISTS.find(([prefix]) => region.startsWith(prefix))?.[1];
  return { name, dnsSuffix, priceListRegion: list ?? PRICE_LIST_OF_THE_REST };
}
