import { admit } from '../schema/admit.ts';
import type { CustomResource } from '../schema/custom-resource.ts';
import { isRecord, type JsonRecord } from './json.ts';
import type { Resource } from './resources.ts';
import type { Cause } from './status.ts';

/** A kind that a CRD defines, as the API server uses it. */
export interface CustomKind {
  readonly resource: Resource;
  /** The object pruned and defaulted, and what is wrong with it; with `old`, as an update of it. */
  readonly admit: (
    object: unknown,
    old?: unknown,
  ) => { readonly object: JsonRecord; readonly causes: readonly Cause[] };
}

/** The storage version of a custom resource as a kind; other versions are not served. */
export function customKind(crd: CustomResource): CustomKind {
  const version = crd.versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error(`${crd.names.kind} has no storage version`);
  return {
    resource: {
      group: crd.group,
      version: version.name,
      kind: crd.names.kind,
      plural: crd.names.plural,
      namespaced: crd.scope === 'Namespaced',
      hasStatus: version.subresources.status,
      hasGeneration: true,
      custom: true,
    },
    admit: (object, old) => {
      const admitted = admit(version, object, old);
      const causes = admitted.errors.map(({ path, message }) => ({
        reason: reasonOf(message),
        message,
        field: path === '' ? '<nil>' : path,
      }));
      return { object: isRecord(admitted.object) ? admitted.object : {}, causes };
    },
  };
}

/** The machine-readable reasons of causes by how their sentences start. */
const REASONS: readonly (readonly [string, string])[] = [
  ['Required value', 'FieldValueRequired'],
  ['Unsupported value', 'FieldValueNotSupported'],
  ['Duplicate value', 'FieldValueDuplicate'],
  ['Forbidden', 'FieldValueForbidden'],
  ['Too long', 'FieldValueTooLong'],
  ['Too many', 'FieldValueTooMany'],
];

const reasonOf = (message: string): string =>
  REASONS.find(([start]) => message.startsWith(start))?.[1] ?? 'FieldValueInvalid';
