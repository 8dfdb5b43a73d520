import { describe, expect, it } from 'vitest';
import { alreadyExists, awsErrorKind, describeAwsError, isTokenMismatch } from '#lib/aws/errors.ts';
import { awsError } from '#lib/sim/aws/error.ts';

describe('awsErrorKind', () => {
  it.each([
    ['InsufficientInstanceCapacity', 'soldOut'],
    ['MaxSpotInstanceCountExceeded', 'soldOut'],
    ['InvalidInstanceID.NotFound', 'notFound'],
    ['NoSuchEntityException', 'notFound'],
    ['ParameterNotFound', 'notFound'],
    ['RequestLimitExceeded', 'throttled'],
    ['ThrottlingException', 'throttled'],
    ['UnauthorizedOperation', 'denied'],
    ['AccessDeniedException', 'denied'],
    ['InternalError', 'broken'],
    ['Whatever', 'broken'],
  ])('takes %s for %s', (code, kind) => {
    expect(awsErrorKind(awsError(code, 'no'))).toBe(kind);
  });

  it('takes what is no error of AWS for broken', () => {
    expect(awsErrorKind('oh')).toBe('broken');
    expect(awsErrorKind(new TypeError('x'))).toBe('broken');
  });
});

describe('what AWS says', () => {
  it('is quoted with its code', () => {
    expect(describeAwsError(awsError('InternalError', 'try again'))).toBe(
      'InternalError: try again',
    );
  });

  it('tells that a thing is there, or that a token was used for something else', () => {
    expect(alreadyExists(awsError('EntityAlreadyExistsException', ''))).toBe(true);
    expect(alreadyExists(awsError('InternalError', ''))).toBe(false);
    expect(isTokenMismatch(awsError('IdempotentParameterMismatch', ''))).toBe(true);
  });
});
