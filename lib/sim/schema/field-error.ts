/** One thing that is wrong with an object: a cause of the API server's answer 422. */
export interface FieldError {
  /** As in `spec.template.spec.taints[0].effect`; empty for the object itself. */
  readonly path: string;
  /** The API server's sentence, without the path. */
  readonly message: string;
}

/** The path of a field of an object. */
export function childPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** The sentence for a field that must be there and is not. */
export function requiredValue(path: string, detail = ''): FieldError {
  return { path, message: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

/** The sentence for a value that will not do; the value is quoted if it is text. */
export function invalidValue(path: string, value: unknown, detail: string): FieldError {
  return { path, message: `Invalid value: ${printed(value)}: ${detail}` };
}

/** The same where the API server leaves the value out because it is a list or an object. */
export function invalidCompound(path: string, detail: string): FieldError {
  return { path, message: `Invalid value: ${detail}` };
}

/** The sentence for a value outside an enumeration, which is listed in its own order. */
export function unsupportedValue(
  path: string,
  value: unknown,
  supported: readonly unknown[],
): FieldError {
  const list = supported.map((one) => JSON.stringify(String(one))).join(', ');
  return { path, message: `Unsupported value: ${printed(value)}: supported values: ${list}` };
}

/** The sentence for text that is too long; it does not repeat the text. */
export function tooLong(path: string, limit: number): FieldError {
  return { path, message: `Too long: may not be more than ${limit} bytes` };
}

/** The sentence for a list or a map with too many entries. */
export function tooMany(path: string, actual: number, limit: number): FieldError {
  return { path, message: `Too many: ${actual}: must have at most ${limit} items` };
}

/** The sentence for an entry that a set or a keyed list already has. */
export function duplicateValue(path: string, value: unknown): FieldError {
  return { path, message: `Duplicate value: ${printed(value)}` };
}

/**
 * Values as Go prints them in these sentences: text quoted, numbers and booleans bare, the rest
 * as JSON. Source: kubernetes v1.36, apimachinery util/validation/field/errors.go, ErrorBody.
 */
function printed(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
