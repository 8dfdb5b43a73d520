import {
  childPath,
  type FieldError,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  unsupportedValue,
} from './field-error.ts';
import { isFields, type StructuralSchema } from './structural-schema.ts';

type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** The formats that numbers have of themselves. */
const FORMAT_OF: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

/**
 * What a schema has against a value that was pruned and defaulted, without its rules.
 *
 * Errors come in the order of the schema's fields, those of one value together: its type, its
 * own limits, its enumeration, what is below it, what is missing.
 * Source: kubernetes v1.36, kube-openapi/pkg/validation/validate and its errors.
 */
export function valueErrors(
  schema: StructuralSchema | undefined,
  value: unknown,
  path: string,
): readonly FieldError[] {
  if (schema === undefined) return [];
  const json = jsonType(value);
  if (json === 'null' && schema.nullable) return [];
  const errors = [...typeErrors(schema, value, json, path)];
  if (typeof value === 'string') errors.push(...textErrors(schema, value, path));
  if (typeof value === 'number') errors.push(...numberErrors(schema, value, path));
  if (Array.isArray(value)) errors.push(...listErrors(schema, value, path));
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    errors.push(unsupportedValue(path, value, schema.enum));
  }
  if (isFields(value)) errors.push(...fieldErrors(schema, value, path));
  return errors;
}

function jsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value as 'string' | 'number' | 'boolean';
    default:
      return 'object';
  }
}

function typeErrors(
  schema: StructuralSchema,
  value: unknown,
  json: JsonType,
  path: string,
): readonly FieldError[] {
  const found = json === 'number' && Number.isInteger(value) ? 'integer' : json;
  if (schema.intOrString) return intOrStringErrors(found, path);
  const { type } = schema;
  if (type === undefined || type === found || (type === 'number' && found === 'integer')) return [];
  if (schema.format === undefined) return [mustBe(path, type, found)];
  // Formats get in the way: of text with a format, a list passes; the rest is told by its format.
  if (found === 'array' && type === 'string') return [];
  if (found === 'array' || found === 'string' || found === 'null') {
    return [mustBe(path, type, found)];
  }
  return [mustBe(path, schema.format, FORMAT_OF[found] ?? '')];
}

function intOrStringErrors(found: string, path: string): readonly FieldError[] {
  if (found === 'integer' || found === 'string') return [];
  return [
    mustBe(path, 'integer,string', found),
    // This one comes without a path.
    invalidValue('', '', `"${path}" must validate at least one schema (anyOf)`),
    mustBe(path, 'integer', found),
  ];
}

function mustBe(path: string, wanted: string, found: string): FieldError {
  return invalidValue(path, found, `${path} in body must be of type ${wanted}: "${found}"`);
}

/** The first limit that a text breaks, and its format. Lengths count characters, not units. */
function textErrors(schema: StructuralSchema, text: string, path: string): readonly FieldError[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema.limits;
  const errors: FieldError[] = [];
  const length = [...text].length;
  if (length > maxLength) {
    errors.push(tooLong(path, maxLength));
  } else if (length < minLength) {
    errors.push(
      invalidValue(path, text, `${path} in body should be at least ${minLength} chars long`),
    );
  } else if (schema.pattern?.expression.test(text) === false) {
    errors.push(invalidValue(path, text, `${path} in body should match '${schema.pattern.text}'`));
  }
  if (schema.format === 'date-time' && !isDateTime(text)) {
    errors.push(invalidValue(path, text, `${path} in body must be of type date-time: "${text}"`));
  }
  return errors;
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text.toUpperCase()))
  );
}

/** A whole number beyond its format, or a fraction in its place; told without a path. */
function rangeErrors(
  { type, intOrString, format }: StructuralSchema,
  value: number,
  path: string,
): readonly FieldError[] {
  const isWhole =
    Number.isInteger(value) && (format !== 'int32' || Math.trunc(value) === (value | 0));
  if (isWhole || (type !== 'integer' && !intOrString)) return [];
  const wanted = format === undefined ? '(default format)' : `with format ${format}`;
  return [invalidValue('', '', `Checked value must be of type integer ${wanted} in ${path}`)];
}

function numberErrors(
  schema: StructuralSchema,
  value: number,
  path: string,
): readonly FieldError[] {
  const { minimum, maximum } = schema.limits;
  const errors = [...rangeErrors(schema, value, path)];
  if (maximum !== undefined && value > maximum) {
    errors.push(
      invalidValue(path, value, `${path} in body should be less than or equal to ${maximum}`),
    );
  }
  if (minimum !== undefined && value < minimum) {
    errors.push(
      invalidValue(path, value, `${path} in body should be greater than or equal to ${minimum}`),
    );
  }
  return errors;
}

function listErrors(
  schema: StructuralSchema,
  items: readonly unknown[],
  path: string,
): readonly FieldError[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema.limits;
  const errors = items.flatMap((item, i) => valueErrors(schema.items, item, `${path}[${i}]`));
  if (items.length < minItems) {
    errors.push(
      invalidValue(path, items.length, `${path} in body should have at least ${minItems} items`),
    );
  }
  if (items.length > maxItems) errors.push(tooMany(path, items.length, maxItems));
  return errors;
}

function fieldErrors(
  schema: StructuralSchema,
  fields: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldError[] {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema.limits;
  const count = Object.keys(fields).length;
  if (count < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    return [invalidValue(path, count, detail)];
  }
  if (count > maxProperties) return [tooMany(path, count, maxProperties)];
  const errors: FieldError[] = [];
  for (const [field, known] of schema.properties) {
    if (!Object.hasOwn(fields, field)) continue;
    errors.push(...valueErrors(known, fields[field], childPath(path, field)));
  }
  for (const [field, below] of Object.entries(fields)) {
    if (schema.properties.has(field)) continue;
    errors.push(...valueErrors(schema.additionalProperties, below, childPath(path, field)));
  }
  for (const field of schema.required) {
    if (!Object.hasOwn(fields, field)) errors.push(requiredValue(childPath(path, field)));
  }
  return errors;
}
