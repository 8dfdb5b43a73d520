import { compareText } from '#lib/constraints/order.ts';
import { isRecord } from './json.ts';
import type { PodTemplate } from './wire.ts';

/** A short name for a template: equal templates have equal ones, whatever the order of keys. */
export function templateHash(template: PodTemplate): string {
  let hash = 2166136261;
  for (const character of sortedText(template)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  }
  return (hash >>> 0).toString(36).padStart(7, '0');
}

function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .sort(compareText)
    .map((key) => `${JSON.stringify(key)}:${sortedText(value[key])}`);
  return `{${fields.join(',')}}`;
}
