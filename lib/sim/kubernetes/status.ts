/** The API server's refusals: Kubernetes Status objects, in its own reasons and words. */
import { qualifiedKind, qualifiedName, type Resource } from './resources.ts';

/** One field that an object was refused for. */
export interface Cause {
  readonly reason: string;
  /** Without the field's name: 'Invalid value: "x": must be …'. */
  readonly message: string;
  /** spec.template.spec.requirements[0].key */
  readonly field: string;
}

/** What the server answers instead of the object that was asked for. */
export interface Refusal {
  readonly refused: true;
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The token that a 410 of a list offers to go on with. */
  readonly continueToken?: string;
}

/** Whether an answer is a refusal. */
export const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'refused' in answer && answer.refused === true;

/** A refusal as the Status object that goes over the wire. */
export const statusBody = (refusal: Refusal): Record<string, unknown> => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: refusal.continueToken === undefined ? {} : { continue: refusal.continueToken },
  status: 'Failure',
  message: refusal.message,
  reason: refusal.reason,
  ...(refusal.details === undefined ? {} : { details: refusal.details }),
  code: refusal.status,
});

const about = ({ group, plural }: Resource, name: string): Record<string, unknown> => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: plural,
});

/** 404: no such object. */
export const notFound = (resource: Resource, name: string): Refusal => ({
  refused: true,
  status: 404,
  reason: 'NotFound',
  message: `${qualifiedName(resource)} "${name}" not found`,
  details: about(resource, name),
});

/** 404: no such namespace. */
export const noNamespace = (name: string): Refusal => ({
  refused: true,
  status: 404,
  reason: 'NotFound',
  message: `namespaces "${name}" not found`,
  details: { name, kind: 'namespaces' },
});

/** 404: no such path. */
export const noSuchResource = (): Refusal => ({
  refused: true,
  status: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
});

/** 409, AlreadyExists: a create under a name that is taken. */
export const alreadyExists = (resource: Resource, name: string): Refusal => ({
  refused: true,
  status: 409,
  reason: 'AlreadyExists',
  message: `${qualifiedName(resource)} "${name}" already exists`,
  details: about(resource, name),
});

/** 409, Conflict: the object is not the one that was meant. */
export const conflict = (resource: Resource, name: string, because: string): Refusal => ({
  refused: true,
  status: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${qualifiedName(resource)} "${name}": ${because}`,
  details: about(resource, name),
});

/** 409 for a resourceVersion that has passed. */
export const stale = (resource: Resource, name: string): Refusal =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

/** 422, Invalid: fields that may not be so. */
export const invalid = (resource: Resource, name: string, causes: readonly Cause[]): Refusal => {
  const texts = causes.map(({ field, message }) =>
    field === '' ? message : `${field}: ${message}`,
  );
  const told = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return {
    refused: true,
    status: 422,
    reason: 'Invalid',
    message: `${qualifiedKind(resource)} "${name}" is invalid: ${told}`,
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.kind,
      causes,
    },
  };
};

/** A cause: a field's value is wrong. */
export const invalidValue = (field: string, value: unknown, because: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${because}`,
  field,
});

/** A cause: a field is missing. */
export const requiredValue = (field: string, because = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: because === '' ? 'Required value' : `Required value: ${because}`,
  field,
});

/** A cause: a field may not be set or changed. */
export const forbiddenValue = (field: string, because: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${because}`,
  field,
});

/** 422 of a JSON patch that does not apply; the real server says no more than this. */
export const patchRefused = (): Refusal => ({
  refused: true,
  status: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
});

/** Any other refusal by its code. */
export const refusal = (status: number, reason: string, message: string): Refusal => ({
  refused: true,
  status,
  reason,
  message,
});

/** 400: the request cannot be understood. */
export const badRequest = (message: string): Refusal => refusal(400, 'BadRequest', message);
