/**
 * What `kubectl apply` does, as far as it can be told from the outside: creates an object, or
 * changes one that is there. Fields that the manifest no longer names are left as they are
 * (kubectl removes those that it set itself before).
 */
import { isRecord, type JsonRecord, overTheWire, recordAt, textAt } from './json.ts';
import { applyPatch, MERGE_PATCH, STRATEGIC_PATCH } from './patch.ts';
import type { Registry } from './registry.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { isRefusal, type Refusal } from './status.ts';
import type { KubeObject } from './wire.ts';

/** What became of a manifest. */
export type Applied =
  | { readonly result: 'created' | 'configured' | 'unchanged'; readonly object: KubeObject }
  | { readonly result: 'refused'; readonly because: string; readonly refusal?: Refusal };

const ACTOR = 'user';

/** Applies a manifest; a namespaced one without a namespace goes into `default`. */
export function applyManifest(
  registry: Registry,
  resources: readonly Resource[],
  manifest: unknown,
): Applied {
  const wire = overTheWire(manifest);
  if (!isRecord(wire)) return { result: 'refused', because: 'the manifest is not an object' };
  const [kind, apiVersion] = [textAt(wire, 'kind'), textAt(wire, 'apiVersion')];
  const resource = resources.find(
    (each) => each.kind === kind && apiVersionOf(each) === apiVersion,
  );
  if (resource === undefined) {
    const because = `no matches for kind "${kind ?? ''}" in version "${apiVersion ?? ''}"`;
    return { result: 'refused', because };
  }
  return createOrChange(registry, resource, wire);
}

function createOrChange(registry: Registry, resource: Resource, wire: JsonRecord): Applied {
  const metadata = recordAt(wire, 'metadata');
  const namespace = resource.namespaced ? (textAt(metadata, 'namespace') ?? 'default') : '';
  const current = registry.store.get(resource.kind, namespace, textAt(metadata, 'name') ?? '');
  if (current === undefined) {
    const created = registry.create(resource, namespace, wire, { actor: ACTOR });
    return isRefusal(created) ? refused(created) : { result: 'created', object: created };
  }
  const type = resource.custom ? MERGE_PATCH : STRATEGIC_PATCH;
  const merged = applyPatch({ ...current }, wire, type, resource.custom);
  if (isRefusal(merged)) return refused(merged);
  const changed = registry.update(resource, current, merged, { actor: ACTOR, by: 'patch' });
  if (isRefusal(changed)) return refused(changed);
  const isSame = changed.metadata.resourceVersion === current.metadata.resourceVersion;
  return { result: isSame ? 'unchanged' : 'configured', object: changed };
}

const refused = (refusal: Refusal): Applied => ({
  result: 'refused',
  because: refusal.message,
  refusal,
});
