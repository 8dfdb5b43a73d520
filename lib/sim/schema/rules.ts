import { childPath, type FieldError, invalidCompound, invalidValue } from './field-error.ts';
import { listKey } from './list-types.ts';
import type { Rule } from './rule.ts';
import { isFields, type StructuralSchema } from './structural-schema.ts';

/**
 * The rules of a schema that a valid value breaks, from the outside in.
 *
 * Transition rules are asked where an old value corresponds: the same field, the same key of a
 * map, the item with the same key of a keyed list; items of other lists have no past. Rules are
 * asked of unchanged values too: an API server lets those pass with a warning (ratcheting),
 * which only shows after a schema has become stricter.
 * Source: kubernetes v1.36, apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export function ruleErrors(
  schema: StructuralSchema | undefined,
  value: unknown,
  oldValue: unknown,
  path: string,
): readonly FieldError[] {
  if (schema === undefined || !schema.hasRules || value === null || value === undefined) return [];
  const own = schema.rules.length === 0 ? [] : ownErrors(schema, value, oldValue, path);
  return [...own, ...errorsBelow(schema, value, oldValue, path)];
}

function ownErrors(
  schema: StructuralSchema,
  value: unknown,
  oldValue: unknown,
  path: string,
): readonly FieldError[] {
  const isNew = oldValue === null || oldValue === undefined;
  const self = celValue(schema, value);
  const oldSelf = isNew ? undefined : celValue(schema, oldValue);
  return schema.rules.flatMap((rule) => {
    if (rule.usesOldSelf && isNew && !rule.optionalOldSelf) return [];
    const answer = rule.ask(self, oldSelf);
    if (answer === true) return [];
    if (answer === false) return [brokenRule(rule, value, path)];
    const detail = /^no such overload/.test(answer.problem)
      ? `'${answer.problem}': call arguments did not match a supported operator, function or macro signature for rule: ${rule.message}`
      : `${answer.problem} evaluating rule: ${rule.message}`;
    return [invalidValue(path, schema.type ?? '', detail)];
  });
}

function brokenRule(rule: Rule, value: unknown, path: string): FieldError {
  return typeof value === 'object'
    ? invalidCompound(path, rule.message)
    : invalidValue(path, value, rule.message);
}

function errorsBelow(
  schema: StructuralSchema,
  value: unknown,
  oldValue: unknown,
  path: string,
): readonly FieldError[] {
  if (Array.isArray(value)) {
    const past = pastItems(schema, oldValue);
    return value.flatMap((item, index) =>
      ruleErrors(schema.items, item, past(item), `${path}[${index}]`),
    );
  }
  if (!isFields(value)) return [];
  const past = isFields(oldValue) ? oldValue : {};
  return Object.entries(value).flatMap(([field, below]) => {
    const known = schema.properties.get(field);
    const place = known === undefined ? `${path}[${field}]` : childPath(path, field);
    return ruleErrors(known ?? schema.additionalProperties, below, past[field], place);
  });
}

/** Finds the old item that corresponds to a new one; only keyed lists have such. */
function pastItems(schema: StructuralSchema, oldValue: unknown): (item: unknown) => unknown {
  if (schema.listType !== 'map' || !Array.isArray(oldValue)) return () => undefined;
  const items = new Map(
    oldValue.map((item) => [JSON.stringify(listKey(schema, item)), item] as const),
  );
  return (item) => items.get(JSON.stringify(listKey(schema, item)));
}

/** A value as CEL knows it: whole numbers as int, everything with fields as a map. */
function celValue(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (typeof value === 'number') {
    return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => celValue(schema?.items, item));
  if (!isFields(value)) return value;
  return new Map(
    Object.entries(value).map(([field, below]) => [
      field,
      celValue(schema?.properties.get(field) ?? schema?.additionalProperties, below),
    ]),
  );
}
