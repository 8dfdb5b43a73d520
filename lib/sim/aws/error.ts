const STATUS: Readonly<Record<string, number>> = {
  DryRunOperation: 412,
  EntityAlreadyExistsException: 409,
  InternalError: 500,
  LimitExceededException: 409,
  NoSuchEntityException: 404,
  RequestLimitExceeded: 503,
  ResourceNotFoundException: 404,
  UnauthorizedOperation: 403,
};

/**
 * An error as the AWS SDK for JavaScript throws it: `name` is the code (or the modelled
 * exception's name), `$metadata.httpStatusCode` the status (400 unless the code has its own).
 *
 * Source: AWS SDK for JavaScript v3, ServiceException; EC2 API, Error codes.
 */
export function awsError(name: string, message: string): Error {
  const status = STATUS[name] ?? 400;
  return Object.assign(new Error(message), {
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status, attempts: 1, totalRetryDelay: 0 },
  });
}

/** What EC2 answers to a request that lacks a parameter. */
export const missingParameter = (name: string): Error =>
  awsError('MissingParameter', `The request must contain the parameter ${name}`);

/** What EC2 answers to a value it cannot use. */
export const invalidValue = (name: string, value: unknown, why = ''): Error =>
  awsError(
    'InvalidParameterValue',
    `Value (${typeof value === 'string' ? value : JSON.stringify(value)}) for parameter ${name} is invalid.${why && ` ${why}`}`,
  );

/** The embedded AWS says so, in its own words, where the real one could do more. */
export const unsupported = (what: string): Error =>
  awsError('UnsupportedOperation', `The embedded AWS does not support ${what}.`);
