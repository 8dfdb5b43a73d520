import { isFields, type StructuralSchema } from './structural-schema.ts';

/**
 * A copy of a value with the defaults of its schema filled in, nested ones too.
 *
 * A null where the schema allows none counts as absent: it takes the default, or goes. In lists
 * it stays, and fails validation.
 * Source: kubernetes v1.36, apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
export function withDefaults(schema: StructuralSchema | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((item) => withDefaults(schema.items, item ?? schema.items?.default ?? item));
  }
  if (!isFields(value)) return value;
  const written = Object.entries(value).flatMap(([field, below]) => {
    const known = schema.properties.get(field) ?? schema.additionalProperties;
    return isAbsent(known, below) ? [] : [[field, withDefaults(known, below)] as const];
  });
  return Object.fromEntries([...written, ...defaultsOf(schema, value)]);
}

/** What the schema puts where the object says nothing. */
function defaultsOf(
  schema: StructuralSchema,
  fields: Readonly<Record<string, unknown>>,
): readonly (readonly [string, unknown])[] {
  return [...schema.properties].flatMap(([field, known]) => {
    const isWritten = Object.hasOwn(fields, field) && !isAbsent(known, fields[field]);
    if (isWritten || known.default === undefined) return [];
    return [[field, withDefaults(known, structuredClone(known.default))] as const];
  });
}

function isAbsent(schema: StructuralSchema | undefined, value: unknown): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}
