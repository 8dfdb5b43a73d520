import type { CustomResourceVersion } from './custom-resource.ts';
import { withDefaults } from './defaults.ts';
import { type FieldError, invalidValue } from './field-error.ts';
import { duplicateErrors } from './list-types.ts';
import { metaErrors, prunedMeta } from './object-meta.ts';
import { prunedObject } from './prune.ts';
import { ruleErrors } from './rules.ts';
import { isFields } from './structural-schema.ts';
import { valueErrors } from './validate-value.ts';

/** What an API server makes of a custom object that someone wants to write. */
export interface Admission {
  /** A copy with defaults filled in and unknown fields left out; as stored, if accepted. */
  readonly object: Readonly<Record<string, unknown>>;
  /** The paths of the fields that were left out. */
  readonly pruned: readonly string[];
  /** Empty: accepted. Otherwise the causes of the refusal, in the order of the schema. */
  readonly errors: readonly FieldError[];
}

/**
 * Prunes, defaults and validates an object against one version of its kind; with `oldObject`,
 * as an update of it.
 *
 * Metadata first, then the schema, then uniqueness in lists, then the rules. Rules are asked only
 * of objects that fit the schema; an API server also asks them beside errors of mere value, and
 * adds a cause without a path when it does not. What an update may change of the metadata, and
 * whether status is part of the write, is for the caller to look after.
 */
export function admit(
  version: CustomResourceVersion,
  object: unknown,
  oldObject?: unknown,
): Admission {
  if (!isFields(object)) {
    return { object: {}, pruned: [], errors: [invalidValue('', object, 'must be an object')] };
  }
  const { schema } = version;
  const pruned: string[] = [];
  const known = prunedObject(schema, object, pruned);
  const metadata = prunedMeta(object.metadata, pruned);
  const defaulted = withDefaults(schema, known);
  const admitted = { ...(isFields(defaulted) ? defaulted : {}), metadata };
  const shapeErrors = [
    ...valueErrors(schema, admitted, ''),
    ...duplicateErrors(schema, admitted, ''),
  ];
  const rulesBroken = shapeErrors.length > 0 ? [] : ruleErrors(schema, admitted, oldObject, '');
  return {
    object: admitted,
    pruned,
    errors: [...metaErrors(metadata), ...shapeErrors, ...rulesBroken],
  };
}
