import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../infra/cluster/crds/', import.meta.url);

/** The texts of the CustomResourceDefinitions that Joinery installs, by file name, sorted. */
export function crdTexts(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
}
