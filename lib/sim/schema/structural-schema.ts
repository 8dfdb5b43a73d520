import { re2 } from './re2.ts';
import { compileRule, type Rule } from './rule.ts';

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/** The limits on numbers, texts, lists and maps that a schema sets. */
type Limits = { readonly [limit in (typeof LIMITS)[number]]?: number };

/** One node of the schema of a custom resource, with its patterns and rules compiled. */
export interface StructuralSchema {
  /** Absent: any type. */
  readonly type: SchemaType | undefined;
  readonly intOrString: boolean;
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  readonly default: unknown;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  readonly additionalProperties: StructuralSchema | undefined;
  readonly items: StructuralSchema | undefined;
  readonly required: readonly string[];
  readonly enum: readonly unknown[] | undefined;
  readonly format: string | undefined;
  readonly pattern: { readonly text: string; readonly expression: RegExp } | undefined;
  readonly limits: Limits;
  readonly listType: string;
  readonly listKeys: readonly string[];
  readonly rules: readonly Rule[];
  /** Whether this node or any below it has rules. */
  readonly hasRules: boolean;
}

const SUPPORTED = new Set<string>([
  ...LIMITS,
  'type',
  'description',
  'nullable',
  'default',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'enum',
  'format',
  'pattern',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);
const FORMATS = new Set(['int32', 'int64', 'float', 'double', 'date-time']);

/**
 * The compiled form of an OpenAPI schema as a CustomResourceDefinition writes it.
 *
 * Keywords and formats that are not supported are refused with an Error that names the place: a
 * schema that was half understood would let wrong objects pass. `anyOf` is supported only as the
 * two types of an int-or-string.
 */
export function structuralSchema(json: unknown, path = 'schema'): StructuralSchema {
  const source = fieldsOf(json, path);
  refuseUnsupported(source, path);
  const properties = new Map(
    Object.entries(fieldsOf(source.properties ?? {}, `${path}.properties`)).map(
      ([name, property]) => [name, structuralSchema(property, `${path}.${name}`)],
    ),
  );
  const additionalProperties = optional(source.additionalProperties, `${path}{*}`);
  const items = optional(source.items, `${path}[]`);
  const rules = listOf(source['x-kubernetes-validations']).map((rule) => compileRule(rule, path));
  const below = [...properties.values(), additionalProperties, items];
  return {
    type: typeOf(source.type, path),
    intOrString: source['x-kubernetes-int-or-string'] === true,
    nullable: source.nullable === true,
    preservesUnknown: source['x-kubernetes-preserve-unknown-fields'] === true,
    default: source.default,
    properties,
    additionalProperties,
    items,
    required: listOf(source.required).map(String),
    enum: source.enum === undefined ? undefined : listOf(source.enum),
    format: source.format === undefined ? undefined : String(source.format),
    pattern: patternOf(source.pattern),
    limits: Object.fromEntries(
      LIMITS.filter((limit) => source[limit] !== undefined).map((l) => [l, Number(source[l])]),
    ),
    listType: String(source['x-kubernetes-list-type'] ?? 'atomic'),
    listKeys: listOf(source['x-kubernetes-list-map-keys']).map(String),
    rules,
    hasRules: rules.length > 0 || below.some((schema) => schema?.hasRules === true),
  };
}

/** Whether a value is an object in JSON's sense. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a JSON object; anything else is refused with an Error that names the place. */
export function fieldsOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isFields(value)) throw new Error(`${path}: expected an object, found ${typeof value}`);
  return value;
}

function refuseUnsupported(source: Readonly<Record<string, unknown>>, path: string): void {
  const unsupported = Object.keys(source).find((keyword) => !SUPPORTED.has(keyword));
  if (unsupported !== undefined) throw new Error(`${path}: ${unsupported} is not supported`);
  if (source.anyOf !== undefined && source['x-kubernetes-int-or-string'] !== true) {
    throw new Error(`${path}: anyOf is supported only for int-or-string`);
  }
  if (source.format !== undefined && !FORMATS.has(String(source.format))) {
    throw new Error(`${path}: format ${String(source.format)} is not supported`);
  }
}

function optional(json: unknown, path: string): StructuralSchema | undefined {
  return json === undefined ? undefined : structuralSchema(json, path);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function patternOf(pattern: unknown): StructuralSchema['pattern'] {
  return typeof pattern === 'string' ? { text: pattern, expression: re2(pattern) } : undefined;
}

function typeOf(type: unknown, path: string): SchemaType | undefined {
  switch (type) {
    case undefined:
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    default:
      throw new Error(`${path}: type ${String(type)} is not supported`);
  }
}
