import { parse } from 'yaml';
import { fieldsOf, type StructuralSchema, structuralSchema } from './structural-schema.ts';

/** What a CustomResourceDefinition makes known to an API server. */
export interface CustomResource {
  readonly group: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly names: {
    readonly plural: string;
    readonly singular: string;
    readonly kind: string;
    readonly listKind: string;
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
  };
  readonly versions: readonly CustomResourceVersion[];
}

/** One version of a custom resource. */
export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: StructuralSchema;
  readonly subresources: {
    readonly status: boolean;
    readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  };
  readonly columns: readonly PrinterColumn[];
}

/** A column of `kubectl get`; those with a priority above 0 show with `-o wide`. */
interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority: number;
}

/**
 * Reads a CustomResourceDefinition, YAML or JSON, and compiles its schemas and rules.
 *
 * Anything else, and what `structuralSchema` does not support, is refused with an Error. The
 * compilation costs some milliseconds: read once and keep the result.
 */
export function readCrd(yamlText: string): CustomResource {
  const crd = fieldsOf(parse(yamlText), 'the document');
  if (crd.kind !== 'CustomResourceDefinition') {
    throw new Error(`expected a CustomResourceDefinition, found ${String(crd.kind)}`);
  }
  const spec = fieldsOf(crd.spec, 'spec');
  const names = fieldsOf(spec.names, 'spec.names');
  const kind = String(names.kind);
  return {
    group: String(spec.group),
    scope: spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    names: {
      plural: String(names.plural),
      singular: String(names.singular ?? kind.toLowerCase()),
      kind,
      listKind: String(names.listKind ?? `${kind}List`),
      shortNames: textsOf(names.shortNames),
      categories: textsOf(names.categories),
    },
    versions: listOf(spec.versions).map((version) => versionOf(version, kind)),
  };
}

function versionOf(json: unknown, kind: string): CustomResourceVersion {
  const version = fieldsOf(json, 'spec.versions[]');
  const name = String(version.name);
  const { openAPIV3Schema } = fieldsOf(version.schema, `${name}.schema`);
  const subresources = fieldsOf(version.subresources ?? {}, `${name}.subresources`);
  const scale = subresources.scale;
  return {
    name,
    served: version.served === true,
    storage: version.storage === true,
    schema: structuralSchema(openAPIV3Schema, kind),
    subresources: {
      status: subresources.status !== undefined,
      ...(scale === undefined ? {} : { scale: scaleOf(scale) }),
    },
    columns: listOf(version.additionalPrinterColumns).map(columnOf),
  };
}

function scaleOf(json: unknown): { specReplicasPath: string; statusReplicasPath: string } {
  const scale = fieldsOf(json, 'subresources.scale');
  return {
    specReplicasPath: String(scale.specReplicasPath),
    statusReplicasPath: String(scale.statusReplicasPath),
  };
}

function columnOf(json: unknown): PrinterColumn {
  const column = fieldsOf(json, 'additionalPrinterColumns[]');
  return {
    name: String(column.name),
    type: String(column.type),
    jsonPath: String(column.jsonPath),
    priority: Number(column.priority ?? 0),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).map(String);
}
