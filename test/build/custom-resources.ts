import { readdirSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import {
  type CustomResource,
  type CustomResourceVersion,
  readCrd,
} from '#lib/sim/schema/custom-resource.ts';

const FOLDER = new URL('../../infra/cluster/crds/', import.meta.url);

/** The definitions that Joinery installs, compiled, by kind. */
export const OUR_CRDS: ReadonlyMap<string, CustomResource> = new Map(
  readdirSync(FOLDER).map((name) => {
    const crd = readCrd(readFileSync(new URL(name, FOLDER), 'utf8'));
    return [crd.names.kind, crd];
  }),
);

/** The only version of one of our kinds. */
export function ourVersion(kind: string): CustomResourceVersion {
  const version = OUR_CRDS.get(kind)?.versions[0];
  if (version === undefined) throw new Error(`expected a definition of ${kind}, found none`);
  return version;
}

/** The text of a definition of kind Thing, in group example.com, with this `spec`. */
export function aCrdText(spec: object): string {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return stringify({
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
}

/** That definition's version, compiled. */
export function aVersion(spec: object): CustomResourceVersion {
  const [version] = readCrd(aCrdText(spec)).versions;
  if (version === undefined) throw new Error('expected a version, found none');
  return version;
}

/** A Thing with this `spec`. */
export function aThing(spec: unknown): Readonly<Record<string, unknown>> {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'thing' }, spec };
}
