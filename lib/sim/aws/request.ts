import { invalidValue, missingParameter } from './error.ts';

/** The parameters of one call, or of one structure inside it. */
export type Fields = Readonly<Record<string, unknown>>;

/** A tag's key and value. */
export type Tags = Readonly<Record<string, string>>;

/** The structure `name`, empty where it is absent. */
export function structure(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  if (!isFields(value)) throw invalidValue(name, value);
  return value;
}

/** The list of structures `name`, empty where it is absent. */
export function structures(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || !value.every(isFields)) throw invalidValue(name, value);
  return value;
}

/** The text `name`, if it is there. */
export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw invalidValue(name, value);
  return value;
}

/** The text `name`; refused where it is absent or empty. */
export function text(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (!value) throw missingParameter(name);
  return value;
}

/** The list of texts `name`, if it is there. */
export function optionalTexts(fields: Fields, name: string): readonly string[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalidValue(name, value);
  }
  return value;
}

/** The whole number `name`, if it is there; refused outside [from, to]. */
export function optionalInteger(
  fields: Fields,
  name: string,
  [from, to]: readonly [number, number],
): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < from || value > to) {
    throw invalidValue(name, value, `Expecting a whole number between ${from} and ${to}.`);
  }
  return value;
}

/** The tags that `fields.TagSpecifications` holds for one resource type; later keys win. */
export function tagsFor(fields: Fields, resourceType: string): Tags {
  const tags = structures(fields, 'TagSpecifications')
    .filter((specification) => specification.ResourceType === resourceType)
    .flatMap((specification) => structures(specification, 'Tags'));
  return tagsOf(tags);
}

/** A list of {Key, Value}, checked as EC2 checks tags: at most 50, none that AWS keeps to itself. */
export function tagsOf(list: readonly Fields[]): Tags {
  const tags = Object.fromEntries(
    list.map((tag) => [text(tag, 'Key'), optionalText(tag, 'Value') ?? '']),
  );
  for (const [key, value] of Object.entries(tags)) {
    if (key.startsWith('aws:'))
      throw invalidValue('Tag.Key', key, 'Tag keys cannot start with aws:');
    if (key.length > 128) throw invalidValue('Tag.Key', key);
    if (value.length > 256) throw invalidValue('Tag.Value', value);
  }
  if (Object.keys(tags).length > 50) throw invalidValue('Tags', list.length, 'At most 50 tags.');
  return tags;
}

/** Tags as EC2 describes them, sorted by key. */
export const describeTags = (tags: Tags): readonly { Key: string; Value: string }[] =>
  Object.keys(tags)
    .sort()
    .map((Key) => ({ Key, Value: tags[Key] ?? '' }));

/** `fields` as text in which the order of keys does not matter; equal for equal requests. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Whether `value` is a structure: an object that is neither a list nor a date. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
