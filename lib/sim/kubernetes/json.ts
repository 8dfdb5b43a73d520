/** A JSON object whose fields nobody has looked at yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object: not null, not a list. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at `key` of `record`, or an empty one where there is none. */
export function recordAt(record: unknown, key: string): JsonRecord {
  const value = isRecord(record) ? record[key] : undefined;
  return isRecord(value) ? value : {};
}

/** The string at `key` of `record`, if there is one. */
export function textAt(record: unknown, key: string): string | undefined {
  const value = isRecord(record) ? record[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** What `value` is after a trip over the wire: a copy, without undefined fields. */
export const overTheWire = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** Makes `value` and all below it unchangeable. Stops where that was done before. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
  return value;
}

/** Whether two JSON values are equal: the order of keys does not matter, absent is undefined. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return hasAllOf(a, b) && Object.keys(b).every((key) => key in a || b[key] === undefined);
}

function hasAllOf(a: JsonRecord, b: JsonRecord): boolean {
  for (const key in a) if (!sameJson(a[key], b[key])) return false;
  return true;
}

/** `record` without the fields `keys`. */
export function without(record: JsonRecord, ...keys: readonly string[]): JsonRecord {
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(record)) if (!keys.includes(key)) rest[key] = record[key];
  return rest;
}
