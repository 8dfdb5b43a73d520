import { compareText } from '#lib/constraints/order.ts';
import type { CapacityType } from '#lib/model/instance-type.ts';
import type { UnavailableOffering } from '#lib/model/sold-out.ts';
import type { EpochMs } from '#lib/model/time.ts';

/** Why one option of a fleet request gave fewer instances than it was asked for. */
export interface FleetError {
  readonly code: string;
  readonly message: string;
  readonly capacityType: CapacityType;
  /** Absent where EC2 did not say which option. */
  readonly instanceType?: string;
  readonly zone?: string;
  readonly subnetId?: string;
}

/**
 * What a fleet request that yielded nothing comes to: `soldOut`, look for other capacity; or
 * `failed`, for a reason that other capacity would not cure.
 */
export interface FleetFailure {
  readonly kind: 'soldOut' | 'failed';
  readonly reason: string;
  readonly message: string;
}

/** How long a sold-out offering is left alone. Source: karpenter AWS provider v1.14, cache TTL. */
const SOLD_OUT_MS = 3 * 60_000;
/** At most, however often it was sold out in a row. */
const LONGEST_MS = 10 * 60_000;

/** The reason of a launch that AWS refused because it is asked too often. */
export const THROTTLED = 'RequestLimitExceeded';

/**
 * Until when an offering is left alone that was found sold out `times` times in a row: three
 * minutes, as upstream has it, and twice as long each further time, ten minutes at most.
 */
export const soldOutUntil = (times: number, now: EpochMs): EpochMs =>
  now + Math.min(SOLD_OUT_MS * 2 ** (times - 1), LONGEST_MS);

const NO_ADDRESS = 'InsufficientFreeAddressesInSubnet';

/**
 * Codes that say: not this type in this zone, not now.
 *
 * Source: karpenter AWS provider v1.14, errors/errors.go, unfulfillableCapacityErrorCodes.
 */
export const SOLD_OUT_CODES: ReadonlySet<string> = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  NO_ADDRESS,
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
]);

const NO_SPOT_ROLE = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';
const DENIED = ['UnauthorizedOperation', 'AccessDenied', 'AuthFailure'];

interface Cause {
  readonly all: readonly string[];
  readonly reason: string;
}

/**
 * Reasons that a NodeClaim's condition gives, by what the errors say; the first that matches.
 *
 * Source: karpenter AWS provider v1.14, errors/errors.go, ToReasonMessage.
 */
const CAUSES: readonly Cause[] = [
  { all: [NO_SPOT_ROLE], reason: 'SpotSLRCreationFailed' },
  ...DENIED.map((code) => ({
    all: [code, 'Not authorized for images'],
    reason: 'AMIAuthorizationFailure',
  })),
  ...DENIED.map((code) => ({ all: [code], reason: 'Unauthorized' })),
  {
    all: ['InvalidParameter', 'belong to different networks'],
    reason: 'SecurityGroupSubnetVPCMismatch',
  },
  { all: ['iamInstanceProfile.name is invalid'], reason: 'InstanceProfileNameInvalid' },
  { all: ['InvalidLaunchTemplateId.NotFound'], reason: 'LaunchTemplateNotFound' },
  { all: ['User data is limited to'], reason: 'UserDataSizeLimitExceeded' },
  { all: ['InvalidAMIID.Malformed'], reason: 'InvalidAMIID' },
  { all: ['InvalidAMIID.NotFound'], reason: 'AMINotFound' },
  { all: ['RequestLimitExceeded'], reason: 'RequestLimitExceeded' },
  { all: ['InternalError'], reason: 'InternalError' },
  { all: ['not eligible for Free Tier'], reason: 'FreeTierIneligible' },
  { all: ['MaxFleetCountExceeded'], reason: 'FleetQuotaExceeded' },
  { all: ['PendingVerification'], reason: 'AccountPendingVerification' },
  { all: ['MaxSpotInstanceCountExceeded'], reason: 'SpotQuotaExceeded' },
  { all: ['VcpuLimitExceeded'], reason: 'VCPULimitExceeded' },
  { all: ['InsufficientFreeAddressesInSubnet'], reason: 'InsufficientFreeAddressesInSubnet' },
];

/** The reason a NodeClaim's condition gives for what EC2 said. */
export const reasonOf = (said: string): string =>
  CAUSES.find(({ all }) => all.every((part) => said.includes(part)))?.reason ?? 'LaunchFailed';

/**
 * What these errors come to where no instance was had. Only where every one of them says that
 * capacity is missing is it worth asking for other capacity.
 *
 * Source: karpenter AWS provider v1.14, providers/instance/instance.go, combineFleetErrors.
 */
export function fleetFailure(errors: readonly FleetError[]): FleetFailure {
  const said = [...new Set(errors.map(({ code, message }) => `${code}: ${message}`))].sort();
  const message = said.join('; ');
  const soldOut = errors.length > 0 && errors.every(({ code }) => isSoldOut(code));
  return { kind: soldOut ? 'soldOut' : 'failed', reason: reasonOf(message), message };
}

/** Whether a code says that another option may still do. */
const isSoldOut = (code: string): boolean => SOLD_OUT_CODES.has(code) || code === NO_SPOT_ROLE;

/** An option of a fleet request: what was asked for, by type, zone and capacity type. */
export type FleetOption = Omit<UnavailableOffering, 'placementGroup'>;

/** How EC2 says that a spread group holds no more in a zone. Source: karpenter AWS provider v1.14. */
const SPREAD_IS_FULL = /spread placement group/i;

/**
 * The offerings that are not to be asked for again for a while, sorted. Where the account may not
 * use spot at all, or capacity is missing and EC2 does not say of what, those are all the options
 * of the request; where a spread group is full in a zone, all in that zone. What is missing in a
 * placement group is missing there only.
 */
export function soldOutOf(
  errors: readonly FleetError[],
  options: readonly FleetOption[],
  placementGroup?: string,
): readonly UnavailableOffering[] {
  const missing = errors.filter(({ code }) => SOLD_OUT_CODES.has(code));
  const named = missing.flatMap(({ capacityType, instanceType, zone }) =>
    instanceType !== undefined && zone !== undefined ? [{ capacityType, instanceType, zone }] : [],
  );
  const full = new Set(
    missing.filter(({ message }) => SPREAD_IS_FULL.test(message)).map(({ zone }) => zone),
  );
  const noSpot = errors.some(({ code }) => code === NO_SPOT_ROLE);
  const isUnnamed = missing.length > 0 && named.length === 0;
  const others = options.filter(({ zone }) => isUnnamed || full.has(zone));
  const found: readonly UnavailableOffering[] = [
    ...[...named, ...others].map((option) => ({
      ...option,
      ...(placementGroup !== undefined && { placementGroup }),
    })),
    ...options.filter(({ capacityType }) => noSpot && capacityType === 'spot'),
  ];
  const byKey = new Map(
    found.map((option) => [
      `${option.capacityType} ${option.instanceType} ${option.zone} ${option.placementGroup ?? ''}`,
      option,
    ]),
  );
  return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, option]) => option);
}

/** The subnets that had no address left for an instance and its pods, sorted. */
export const fullSubnetsOf = (errors: readonly FleetError[]): readonly string[] =>
  [
    ...new Set(
      errors.flatMap(({ code, subnetId }) => (code === NO_ADDRESS ? (subnetId ?? []) : [])),
    ),
  ].sort();
