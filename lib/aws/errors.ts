import { SOLD_OUT_CODES } from '#lib/ec2/launch/fleet-errors.ts';

/**
 * What a failed AWS call means for whoever made it. soldOut: ask for something else. notFound: it
 * is not there. throttled: the same again later. denied: a person must grant it. broken:
 * everything else, nothing to be concluded.
 */
export type AwsErrorKind = 'soldOut' | 'notFound' | 'throttled' | 'denied' | 'broken';

/** Source: karpenter AWS provider v1.14, errors/errors.go; IAM and SQS as the SDK names them. */
const NOT_FOUND: ReadonlySet<string> = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidPlacementGroup.Unknown',
  'NoSuchEntity',
  'NoSuchEntityException',
  'ParameterNotFound',
  'QueueDoesNotExist',
  'ResourceNotFoundException',
  'AWS.SimpleQueueService.NonExistentQueue',
]);

/** Source: EC2 API, Request throttling; the SDK's own list of throttling codes. */
const THROTTLED: ReadonlySet<string> = new Set([
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
  'SlowDown',
]);

/** Source: EC2 API, Error codes; IAM User Guide, Access denied messages. */
const DENIED: ReadonlySet<string> = new Set([
  'UnauthorizedOperation',
  'AccessDenied',
  'AccessDeniedException',
  'AuthFailure',
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'InvalidClientTokenId',
  'OptInRequired',
]);

/** Source: EC2 and IAM API, Error codes. */
const EXISTS: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.AlreadyExistsException',
  'EntityAlreadyExists',
  'EntityAlreadyExistsException',
]);

/** The code of a failed AWS call; '' where it was not AWS that refused. */
export const awsErrorCode = (error: unknown): string => (error instanceof Error ? error.name : '');

/** What a failed AWS call means. */
export function awsErrorKind(error: unknown): AwsErrorKind {
  const code = awsErrorCode(error);
  if (SOLD_OUT_CODES.has(code)) return 'soldOut';
  if (NOT_FOUND.has(code)) return 'notFound';
  if (THROTTLED.has(code)) return 'throttled';
  if (DENIED.has(code)) return 'denied';
  return 'broken';
}

/**
 * What is wanting is a permission, not credentials that are valid or a request that is fresh.
 *
 * Source: EC2 API, Error codes; IAM User Guide, Access denied messages.
 */
const UNPERMITTED: ReadonlySet<string> = new Set([
  'UnauthorizedOperation',
  'AccessDenied',
  'AccessDeniedException',
]);

/** Whether a call was refused because whoever made it lacks a permission. */
export const lacksPermission = (error: unknown): boolean => UNPERMITTED.has(awsErrorCode(error));

/** Whether a create was refused because the thing is there already. */
export const alreadyExists = (error: unknown): boolean => EXISTS.has(awsErrorCode(error));

/**
 * Whether a call with this client token arrived before, with other contents.
 *
 * Source: EC2 API, Ensuring idempotency.
 */
export const isTokenMismatch = (error: unknown): boolean =>
  awsErrorCode(error) === 'IdempotentParameterMismatch';

/** A failed AWS call in a sentence: its code, then what AWS said. */
export const describeAwsError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
