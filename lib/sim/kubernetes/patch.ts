/**
 * The three patch types: JSON patch (RFC 6902), merge patch (RFC 7386), strategic merge patch.
 * Of the last, the lists that carry a merge key upstream and that matter here are merged (LIST_KEYS)
 * and `$patch: delete` / `replace` are understood; every other list is replaced whole, and
 * $setElementOrder and $retainKeys are ignored. Server-side apply is not served.
 */
import { isRecord, type JsonRecord, sameJson, without } from './json.ts';
import { badRequest, patchRefused, type Refusal, refusal } from './status.ts';

/** The content types of the three patches. Source: kubernetes v1.36, API concepts, Updates. */
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** `target` as `patch` of this content type leaves it, or why it cannot be applied. */
export function applyPatch(
  target: JsonRecord,
  patch: unknown,
  contentType: string,
  isCustom: boolean,
): JsonRecord | Refusal {
  if (contentType === JSON_PATCH) return applyJsonPatch(target, patch);
  if (contentType !== MERGE_PATCH && (contentType !== STRATEGIC_PATCH || isCustom)) {
    return unsupported(contentType, isCustom);
  }
  if (!isRecord(patch)) return badRequest('the patch is not a JSON object');
  const merged = contentType === MERGE_PATCH ? mergePatch(target, patch) : merge(target, patch, '');
  return isRecord(merged) ? merged : badRequest('the patch does not leave an object');
}

const unsupported = (contentType: string, isCustom: boolean): Refusal =>
  refusal(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${[
      JSON_PATCH,
      MERGE_PATCH,
      ...(isCustom ? [] : [STRATEGIC_PATCH]),
    ].join(', ')}; found ${contentType}`,
  );

/** RFC 7386: null deletes a key, objects merge, everything else replaces. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

/**
 * Merge keys by the last two steps of the path. A null key means a list of scalars that are a set.
 * A Node's taints are not among them: that list is atomic, so a patch replaces it.
 * Source: kubernetes v1.36, core/v1 types.go, patchMergeKey and listType.
 */
const LIST_KEYS: Readonly<Record<string, string | null>> = {
  'status.conditions': 'type',
  'status.addresses': 'type',
  'metadata.ownerReferences': 'uid',
  'metadata.finalizers': null,
  'spec.containers': 'name',
  'spec.initContainers': 'name',
  'spec.volumes': 'name',
  'spec.imagePullSecrets': 'name',
  'spec.schedulingGates': 'name',
  'spec.topologySpreadConstraints': 'topologyKey',
};

function merge(target: unknown, patch: unknown, path: string): unknown {
  if (Array.isArray(patch)) {
    const key = LIST_KEYS[path.split('.').slice(-2).join('.')];
    if (key === undefined) return patch;
    return mergeList(Array.isArray(target) ? target : [], patch, key, path);
  }
  if (!isRecord(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  return mergeRecord(isRecord(target) ? target : {}, patch, path);
}

function mergeRecord(target: JsonRecord, patch: JsonRecord, path: string): JsonRecord {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) removeFromSet(merged, key, value);
    else if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value, `${path}.${key}`);
  }
  return merged;
}

const DELETE_FROM = '$deleteFromPrimitiveList/';

function removeFromSet(merged: Record<string, unknown>, directive: string, gone: unknown): void {
  if (!directive.startsWith(DELETE_FROM) || !Array.isArray(gone)) return;
  const field = directive.slice(DELETE_FROM.length);
  const list = merged[field];
  if (Array.isArray(list)) merged[field] = list.filter((item) => !gone.includes(item));
}

function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  key: string | null,
  path: string,
): readonly unknown[] {
  if (key === null) return [...new Set([...target, ...patch])];
  if (patch.some((item) => isRecord(item) && item.$patch === 'replace')) {
    return patch.filter((item) => !(isRecord(item) && item.$patch === 'replace'));
  }
  let merged = [...target];
  for (const item of patch) {
    if (!isRecord(item)) continue;
    const at = merged.findIndex((old) => isRecord(old) && old[key] === item[key]);
    if (item.$patch === 'delete') {
      merged = merged.filter((old) => !(isRecord(old) && old[key] === item[key]));
    } else if (at < 0) merged.push(item);
    else merged[at] = merge(merged[at], item, path);
  }
  return merged;
}

/** RFC 6902. Any operation that does not apply, a failing test included, refuses the whole. */
function applyJsonPatch(target: JsonRecord, patch: unknown): JsonRecord | Refusal {
  if (!Array.isArray(patch)) return badRequest('a JSON patch is a list of operations');
  let document: unknown = target;
  for (const operation of patch) {
    const next = isRecord(operation) ? applyOperation(document, operation) : FAILED;
    if (next === FAILED) return patchRefused();
    document = next;
  }
  return isRecord(document) ? document : patchRefused();
}

const FAILED = Symbol('the operation does not apply');

function applyOperation(document: unknown, operation: JsonRecord): unknown {
  const path = pointer(operation.path);
  if (path === undefined) return FAILED;
  switch (operation.op) {
    case 'test':
      return sameJson(valueAt(document, path) ?? null, operation.value ?? null) ? document : FAILED;
    case 'add':
      return edit(document, path, { how: 'add', value: operation.value });
    case 'replace':
      return edit(document, path, { how: 'replace', value: operation.value });
    case 'remove':
      return edit(document, path, { how: 'remove' });
    case 'copy':
    case 'move':
      return transfer(document, operation, path);
    default:
      return FAILED;
  }
}

function transfer(document: unknown, operation: JsonRecord, to: readonly string[]): unknown {
  const from = pointer(operation.from);
  const value = from === undefined ? undefined : valueAt(document, from);
  if (from === undefined || value === undefined) return FAILED;
  const source = operation.op === 'move' ? edit(document, from, { how: 'remove' }) : document;
  return source === FAILED ? FAILED : edit(source, to, { how: 'add', value });
}

function pointer(path: unknown): readonly string[] | undefined {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) return undefined;
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isRecord(value) ? value[step] : undefined;
  }
  return value;
}

type Edit = { how: 'add' | 'replace'; value: unknown } | { how: 'remove' };

function edit(document: unknown, [step, ...rest]: readonly string[], change: Edit): unknown {
  if (step === undefined) return change.how === 'remove' ? FAILED : change.value;
  if (Array.isArray(document)) return editList(document, [step, ...rest], change);
  if (!isRecord(document)) return FAILED;
  if (rest.length > 0) {
    const child = edit(document[step], rest, change);
    return child === FAILED ? FAILED : { ...document, [step]: child };
  }
  if (change.how !== 'add' && document[step] === undefined) return FAILED;
  return change.how === 'remove' ? without(document, step) : { ...document, [step]: change.value };
}

function editList(list: readonly unknown[], path: readonly string[], change: Edit): unknown {
  const [step = '', ...rest] = path;
  const at = step === '-' ? list.length : Number(step);
  const last = change.how === 'add' && rest.length === 0 ? list.length : list.length - 1;
  if (!Number.isInteger(at) || at < 0 || at > last) return FAILED;
  if (rest.length > 0) {
    const child = edit(list[at], rest, change);
    return child === FAILED ? FAILED : list.with(at, child);
  }
  if (change.how === 'remove') return list.toSpliced(at, 1);
  return change.how === 'add' ? list.toSpliced(at, 0, change.value) : list.with(at, change.value);
}
