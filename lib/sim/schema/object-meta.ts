import { childPath, type FieldError, invalidValue, requiredValue, tooLong } from './field-error.ts';
import { isFields } from './structural-schema.ts';

const META_FIELDS = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

const MOST_ANNOTATION_BYTES = 256 * 1024;
const LONGEST_SUBDOMAIN = 253;

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const CHARACTERS_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const NAME_RULE = `name part ${CHARACTERS_RULE}`;
const KEY_RULE = `a valid label key ${CHARACTERS_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Metadata without the fields that no object has; `pruned` gets their paths. */
export function prunedMeta(metadata: unknown, pruned: string[]): unknown {
  if (!isFields(metadata)) return metadata;
  const entries = Object.entries(metadata).filter(([field, value]) => {
    if (META_FIELDS.has(field)) return value !== null;
    pruned.push(`metadata.${field}`);
    return false;
  });
  return Object.fromEntries(entries);
}

/**
 * What an API server has against the metadata of an object: its name, labels, annotations and
 * finalizers. Owners, and what may change on an update, are not looked at here.
 *
 * A value of the wrong type fails an API server's decoder (400); here it is an error like others.
 * Source: kubernetes v1.36, apimachinery/pkg/api/validation/objectmeta.go.
 */
export function metaErrors(metadata: unknown): readonly FieldError[] {
  if (!isFields(metadata)) return [requiredName()];
  return [
    ...nameErrors(metadata),
    ...mapErrors('metadata.labels', metadata.labels, labelErrors),
    ...mapErrors('metadata.annotations', metadata.annotations, annotationErrors),
    ...annotationSizeErrors(metadata.annotations),
    ...finalizerErrors(metadata.finalizers),
  ];
}

function requiredName(): FieldError {
  return requiredValue('metadata.name', 'name or generateName is required');
}

function nameErrors(metadata: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const field = metadata.name === undefined ? 'generateName' : 'name';
  const name = metadata[field];
  if (name === undefined || name === '') return [requiredName()];
  if (typeof name !== 'string') return [mustBeText(`metadata.${field}`, name)];
  const checked = field === 'generateName' ? name.replace(/-$/, 'a') : name;
  const errors: FieldError[] = [];
  if (name.length > LONGEST_SUBDOMAIN) {
    const detail = `must be no more than ${LONGEST_SUBDOMAIN} characters`;
    errors.push(invalidValue(`metadata.${field}`, name, detail));
  }
  if (!SUBDOMAIN.test(checked)) {
    errors.push(invalidValue(`metadata.${field}`, name, SUBDOMAIN_RULE));
  }
  return errors;
}

function mapErrors(
  path: string,
  map: unknown,
  entryErrors: (path: string, key: string, value: string) => readonly FieldError[],
): readonly FieldError[] {
  if (map === undefined) return [];
  if (!isFields(map)) return [invalidValue(path, map, 'must be a map of texts')];
  return Object.entries(map).flatMap(([key, value]) =>
    typeof value === 'string'
      ? entryErrors(path, key, value)
      : [mustBeText(childPath(path, key), value)],
  );
}

function labelErrors(path: string, key: string, value: string): readonly FieldError[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 bytes');
  if (!LABEL_VALUE.test(value)) problems.push(LABEL_VALUE_RULE);
  return [
    ...qualifiedNameErrors(path, key),
    ...problems.map((problem) => invalidValue(path, value, problem)),
  ];
}

function annotationErrors(path: string, key: string): readonly FieldError[] {
  return qualifiedNameErrors(path, key.toLowerCase());
}

function annotationSizeErrors(annotations: unknown): readonly FieldError[] {
  if (!isFields(annotations)) return [];
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return bytes > MOST_ANNOTATION_BYTES
    ? [tooLong('metadata.annotations', MOST_ANNOTATION_BYTES)]
    : [];
}

function finalizerErrors(finalizers: unknown): readonly FieldError[] {
  const path = 'metadata.finalizers';
  if (finalizers === undefined) return [];
  if (!Array.isArray(finalizers))
    return [invalidValue(path, finalizers, 'must be a list of texts')];
  return finalizers.flatMap((finalizer, index) =>
    typeof finalizer === 'string'
      ? qualifiedNameErrors(path, finalizer)
      : [mustBeText(`${path}[${index}]`, finalizer)],
  );
}

/** A name of at most 63 characters, with or without a DNS subdomain and a slash before it. */
function qualifiedNameErrors(path: string, key: string): readonly FieldError[] {
  const parts = key.split('/');
  if (parts.length > 2) return [invalidValue(path, key, KEY_RULE)];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  const problems = [...prefix];
  if (name === '') problems.push('name part must be non-empty');
  if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!NAME.test(name)) problems.push(NAME_RULE);
  return problems.map((problem) => invalidValue(path, key, problem));
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems: string[] = [];
  if (prefix.length > LONGEST_SUBDOMAIN) {
    problems.push(`prefix part must be no more than ${LONGEST_SUBDOMAIN} bytes`);
  }
  if (!SUBDOMAIN.test(prefix)) problems.push(`prefix part ${SUBDOMAIN_RULE}`);
  return problems;
}

function mustBeText(path: string, value: unknown): FieldError {
  return invalidValue(path, value, 'must be text');
}
