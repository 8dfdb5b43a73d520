import { describe, expect, it } from 'vitest';
import {
  type FleetError,
  fleetFailure,
  reasonOf,
  soldOutOf,
  soldOutUntil,
} from '#lib/ec2/launch/fleet-errors.ts';

const anError = (code: string, difference: Partial<FleetError> = {}): FleetError => ({
  code,
  message: 'no',
  capacityType: 'spot',
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  ...difference,
});

const NO_SPOT_ROLE = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

describe('fleetFailure', () => {
  it.each([
    ['capacity is missing everywhere', ['InsufficientInstanceCapacity'], 'soldOut'],
    ['quotas are used up', ['MaxSpotInstanceCountExceeded', 'VcpuLimitExceeded'], 'soldOut'],
    ['the account may not use spot', [NO_SPOT_ROLE], 'soldOut'],
    ['something else is wrong too', ['UnfulfillableCapacity', 'InternalError'], 'failed'],
    ['EC2 said nothing', [], 'failed'],
  ])('tells whether other capacity would help: %s', (_what, codes, kind) => {
    expect(fleetFailure(codes.map((code) => anError(code))).kind).toBe(kind);
  });

  it('says each thing once, whatever the order it was said in', () => {
    const errors = [anError('B'), anError('A'), anError('B')];

    expect(fleetFailure(errors).message).toBe('A: no; B: no');
    expect(fleetFailure(errors.toReversed())).toEqual(fleetFailure(errors));
  });
});

describe('reasonOf', () => {
  it.each([
    [`${NO_SPOT_ROLE}: no`, 'SpotSLRCreationFailed'],
    ['UnauthorizedOperation: You are not', 'Unauthorized'],
    ['UnauthorizedOperation: Not authorized for images: [ami-1]', 'AMIAuthorizationFailure'],
    [
      'InvalidParameter: sg-1 and subnet-1 belong to different networks.',
      'SecurityGroupSubnetVPCMismatch',
    ],
    [
      'InvalidParameterValue: Value for iamInstanceProfile.name is invalid',
      'InstanceProfileNameInvalid',
    ],
    ['InvalidAMIID.NotFound: The image id', 'AMINotFound'],
    ['RequestLimitExceeded: slow down', 'RequestLimitExceeded'],
    ['MaxFleetCountExceeded: quota', 'FleetQuotaExceeded'],
    ['VcpuLimitExceeded: quota', 'VCPULimitExceeded'],
    ['Whatever: else', 'LaunchFailed'],
  ])('knows %s as %s', (said, reason) => {
    expect(reasonOf(said)).toBe(reason);
  });
});

describe('soldOutOf', () => {
  const options = ['us-east-1a', 'us-east-1b'].map((zone) => ({
    capacityType: 'spot' as const,
    instanceType: 'm5.large',
    zone,
  }));

  it('names what was said to be missing, once, sorted', () => {
    const errors = [
      anError('InsufficientInstanceCapacity', { zone: 'us-east-1b' }),
      anError('InsufficientInstanceCapacity'),
      anError('UnfulfillableCapacity'),
    ];

    expect(soldOutOf(errors, options)).toEqual(options);
  });

  it('names the one option that a quota was said to be met for, not the others', () => {
    expect(soldOutOf([anError('MaxFleetCountExceeded')], options)).toEqual([options[0]]);
  });

  it('keeps to a placement group what is missing there', () => {
    const errors = [anError('InsufficientInstanceCapacity')];

    expect(soldOutOf(errors, options, 'pg-1')).toEqual([{ ...options[0], placementGroup: 'pg-1' }]);
  });

  it('names all options of a zone in which a spread group is full', () => {
    const message = 'The limit of instances of the spread placement group is reached';
    const more = options.flatMap((one) => [one, { ...one, instanceType: 'm5.xlarge' }]);
    const errors = [anError('InsufficientInstanceCapacity', { message })];

    expect(soldOutOf(errors, more, 'pg-1')).toEqual(
      more
        .filter(({ zone }) => zone === 'us-east-1a')
        .map((one) => ({ ...one, placementGroup: 'pg-1' })),
    );
  });

  it('takes all options for sold out where capacity is missing and EC2 does not say of what', () => {
    const nameless = {
      code: 'UnfulfillableCapacity',
      message: '',
      capacityType: 'spot' as const,
    };

    expect(soldOutOf([nameless], options)).toEqual(options);
  });

  it('blames no offering for what is not about capacity', () => {
    expect(soldOutOf([anError('InternalError')], options)).toEqual([]);
  });

  it('gives up all spot of the request where the account may not use it', () => {
    expect(soldOutOf([anError(NO_SPOT_ROLE)], options)).toHaveLength(2);
  });
});

describe('soldOutUntil', () => {
  it('is three minutes, and twice as long each further time in a row, up to ten', () => {
    expect([1, 2, 3, 9].map((times) => soldOutUntil(times, 0) / 60_000)).toEqual([3, 6, 10, 10]);
  });
});
