import { childPath } from './field-error.ts';
import { isFields, type StructuralSchema } from './structural-schema.ts';

/** What an object carries beside the fields of its schema. */
const TYPE_AND_META = ['apiVersion', 'kind', 'metadata'];

/**
 * A copy of a whole object without the fields that its schema does not know; `pruned` gets
 * their paths. Metadata is left as it is: see `prunedMeta`.
 * Source: kubernetes v1.36, apiextensions-apiserver/pkg/apiserver/schema/pruning.
 */
export function prunedObject(schema: StructuralSchema, object: unknown, pruned: string[]): unknown {
  if (!isFields(object)) return object;
  const rest = Object.entries(object).filter(([field]) => !TYPE_AND_META.includes(field));
  const kept = TYPE_AND_META.filter((field) => Object.hasOwn(object, field)).map(
    (field) => [field, object[field]] as const,
  );
  const below = prunedValue(schema, Object.fromEntries(rest), { path: '', pruned });
  return { ...Object.fromEntries(kept), ...(isFields(below) ? below : {}) };
}

interface Place {
  readonly path: string;
  readonly pruned: string[];
}

function prunedValue(schema: StructuralSchema | undefined, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      prunedValue(schema?.items ?? inherited(schema), item, at(place, `${place.path}[${index}]`)),
    );
  }
  if (!isFields(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [field, below] of Object.entries(value)) {
    const path = childPath(place.path, field);
    const known = schema?.properties.get(field) ?? schema?.additionalProperties;
    if (known === undefined && schema?.preservesUnknown !== true) place.pruned.push(path);
    else kept.push([field, prunedValue(known ?? schema, below, at(place, path))]);
  }
  return Object.fromEntries(kept);
}

/** Below a field that preserves what is unknown, everything is unknown and preserved. */
function inherited(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  return schema?.preservesUnknown === true ? schema : undefined;
}

function at(place: Place, path: string): Place {
  return { path, pruned: place.pruned };
}
