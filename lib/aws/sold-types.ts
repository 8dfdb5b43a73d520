import type { AwsCall } from '#lib/aws/calls/call.ts';
import type { TableZone } from '#lib/ec2/catalog/table.ts';
import type { SoldTypes } from '#lib/ec2/offerings/market.ts';
import { embeddedLimits } from './embedded-table.ts';
import { type DescribedType, factsOf, runsLinux } from './instance-types.ts';
import { everyPage } from './pages.ts';

/** Source: EC2 API, DescribeInstanceTypes, MaxResults. */
const TYPES_PAGE = 100;

/**
 * What EC2 sells in the region: types that run Linux, the zones that the account may use, and which
 * type is sold where. Throws EmptyAnswer where one of the answers is empty, which no region's is: what
 * was known before is better than nothing.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/instancetype.go.
 */
export async function findSoldTypes(call: AwsCall): Promise<SoldTypes> {
  const [described, offerings, zones] = await Promise.all([
    describeTypes(call),
    everyPage(
      (page) =>
        call('DescribeInstanceTypeOfferings', { LocationType: 'availability-zone', ...page }),
      ({ InstanceTypeOfferings }) => InstanceTypeOfferings ?? [],
    ),
    findZones(call),
  ]);
  expectSome('DescribeInstanceTypes', described);
  expectSome('DescribeInstanceTypeOfferings', offerings);
  expectSome('DescribeAvailabilityZones', zones);
  const soldIn = new Map<string, Set<string>>();
  for (const { InstanceType = '', Location = '' } of offerings) {
    soldIn.set(InstanceType, (soldIn.get(InstanceType) ?? new Set()).add(Location));
  }
  const limits = embeddedLimits();
  return { types: described.map((type) => factsOf(type, limits)), zones, soldIn };
}

async function describeTypes(call: AwsCall): Promise<readonly DescribedType[]> {
  const types = await everyPage(
    (page) =>
      call('DescribeInstanceTypes', {
        Filters: [
          { Name: 'supported-virtualization-type', Values: ['hvm'] },
          { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
        ],
        ...page,
      }),
    ({ InstanceTypes }) => InstanceTypes ?? [],
    TYPES_PAGE,
  );
  return types.flatMap(({ InstanceType, ...type }) => {
    const named = { ...type, InstanceType: InstanceType ?? '' };
    return named.InstanceType !== '' && runsLinux(named) ? [named] : [];
  });
}

/** The zones that the account may use. The price list names local zones by their group. */
async function findZones(call: AwsCall): Promise<readonly TableZone[]> {
  const { AvailabilityZones = [] } = await call('DescribeAvailabilityZones', {});
  return AvailabilityZones.flatMap(({ ZoneName, ZoneId = '', ZoneType, GroupName }) => {
    if (ZoneName === undefined) return [];
    const isLocal = ZoneType === 'local-zone' && GroupName !== undefined;
    return [{ name: ZoneName, id: ZoneId, ...(isLocal && { priceRegion: GroupName }) }];
  });
}

/** A call that always has something to tell told nothing. */
export class EmptyAnswer extends Error {
  constructor(operation: string) {
    super(`${operation} answered without a single item`);
    this.name = 'EmptyAnswer';
  }
}

/** Throws EmptyAnswer where nothing was found. */
export function expectSome(operation: string, found: readonly unknown[]): void {
  if (found.length === 0) throw new EmptyAnswer(operation);
}
