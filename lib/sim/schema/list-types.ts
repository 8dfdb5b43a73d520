import { childPath, duplicateValue, type FieldError, invalidValue } from './field-error.ts';
import { isFields, type StructuralSchema } from './structural-schema.ts';

/**
 * Entries that a set, or a list with keys, has more than once: each is told at its second place.
 * Source: kubernetes v1.36, apiextensions-apiserver/pkg/apiserver/schema/listtype.
 */
export function duplicateErrors(
  schema: StructuralSchema | undefined,
  value: unknown,
  path: string,
): readonly FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const below = value.flatMap((item, i) => duplicateErrors(schema.items, item, `${path}[${i}]`));
    return [...duplicatesOf(schema, value, path), ...below];
  }
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([field, below]) => {
    const known = schema.properties.get(field);
    if (known !== undefined) return duplicateErrors(known, below, childPath(path, field));
    return duplicateErrors(schema.additionalProperties, below, `${path}[${field}]`);
  });
}

/** What makes an item of a keyed list the one it is: only its key fields, in their order. */
export function listKey(schema: StructuralSchema, item: unknown): Record<string, unknown> {
  const fields = isFields(item) ? item : {};
  return Object.fromEntries(
    schema.listKeys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]),
  );
}

function isItem(item: unknown): boolean {
  return item === null || isFields(item);
}

function duplicatesOf(
  schema: StructuralSchema,
  items: readonly unknown[],
  path: string,
): readonly FieldError[] {
  if (schema.listType !== 'set' && schema.listType !== 'map') return [];
  const wrong = schema.listType === 'map' ? items.findIndex((item) => !isItem(item)) : -1;
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalidValue(`${path}[${wrong}]`, items[wrong], detail)];
  }
  const times = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    const key = schema.listType === 'set' ? item : listKey(schema, item);
    const text = JSON.stringify(key);
    const seen = (times.get(text) ?? 0) + 1;
    times.set(text, seen);
    if (seen === 2) errors.push(duplicateValue(`${path}[${index}]`, key));
  }
  return errors;
}
