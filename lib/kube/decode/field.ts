/** A JSON object as it came over the wire: nothing about its fields is known yet. */
export type Wire = Readonly<Record<string, unknown>>;

/** Makes a value of the model from JSON, or throws a DecodeError. */
export type Decoder<Value> = (value: unknown) => Value;

/**
 * A value that is not what it should be. `field` is its path from the object's root,
 * e.g. spec.template.spec.taints[0].effect; `problem` says what was found and what is expected.
 */
export class DecodeError extends Error {
  readonly field: string;
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(field === '' ? problem : `${field}: ${problem}`);
    this.name = 'DecodeError';
    this.field = field;
    this.problem = problem;
  }
}

const LONGEST_QUOTE = 60;

/** A DecodeError about the value at hand; whoever walked here puts the path before it. */
export function unexpected(found: unknown, expected: string): DecodeError {
  return new DecodeError('', `found ${describe(found)}, expected ${expected}`);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}…`;
}

/** `value`, known to be an object. */
export function wire(value: unknown): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected(value, 'an object');
  }
  return value as Wire;
}

/** What stands under `key`, which must be there. */
export function required<Value>(of: Wire, key: string, decode: Decoder<Value>): Value {
  try {
    return decode(of[key]);
  } catch (error) {
    throw under(key, error);
  }
}

/** What stands under `key`; `fallback` where there is nothing. JSON null is nothing. */
export function withDefault<Value>(
  of: Wire,
  key: string,
  fallback: Value,
  decode: Decoder<Value>,
): Value {
  const value = of[key];
  return value === undefined || value === null ? fallback : required(of, key, decode);
}

/** What stands under `key`, or undefined where there is nothing. JSON null is nothing. */
export function optional<Value>(of: Wire, key: string, decode: Decoder<Value>): Value | undefined {
  return withDefault<Value | undefined>(of, key, undefined, decode);
}

const NO_FIELDS: Wire = Object.freeze({});

/** The object under `key`, empty where there is none: for the groups of optional fields. */
export const group = (of: Wire, key: string): Wire => withDefault(of, key, NO_FIELDS, wire);

/** The decoded object under `key`, made from an empty one where there is none. */
export function grouped<Value>(of: Wire, key: string, decode: (fields: Wire) => Value): Value {
  return required(of, key, (value) =>
    decode(value === undefined || value === null ? NO_FIELDS : wire(value)),
  );
}

/** A list of what `decode` makes. */
export function listOf<Value>(decode: Decoder<Value>): Decoder<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value)) throw unexpected(value, 'a list');
    return value.map((item: unknown, index) => {
      try {
        return decode(item);
      } catch (error) {
        throw under(`[${index}]`, error);
      }
    });
  };
}

const NOTHING: readonly never[] = Object.freeze([]);

/** The list under `key`; one shared empty list where there is none. */
export function list<Value>(of: Wire, key: string, decode: Decoder<Value>): readonly Value[] {
  const value = of[key];
  if (value === undefined || value === null) return NOTHING;
  const values = required(of, key, listOf(decode));
  return values.length === 0 ? NOTHING : values;
}

/** A map whose values `decode` makes. */
export function mapOf<Value>(decode: Decoder<Value>): Decoder<Readonly<Record<string, Value>>> {
  return (value) => {
    const decoded: Record<string, Value> = {};
    for (const [key, entry] of Object.entries(wire(value))) {
      try {
        decoded[key] = decode(entry);
      } catch (error) {
        throw under(`[${key}]`, error);
      }
    }
    return decoded;
  };
}

/**
 * The fields that are there: those that are undefined are dropped, so that absent stays absent.
 *
 * Example: { ...required, ...present({ value: optional(taint, 'value', text) }) }
 */
export function present<Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) kept[key] = value;
  }
  return kept as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}

/** `error` seen from one step further out; what is no DecodeError is a bug and flies on. */
function under(key: string, error: unknown): unknown {
  if (!(error instanceof DecodeError)) return error;
  const { field, problem } = error;
  const separator = field === '' || field.startsWith('[') ? '' : '.';
  return new DecodeError(`${key}${separator}${field}`, problem);
}
