/**
 * What every kind has in common: names, uids, resourceVersions, generations, preconditions,
 * the status subresource, finalizers. Not kept: managedFields, but for nominations.
 */
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { admitCreate, admitUpdate } from './admission.ts';
import type { CustomKind } from './custom-kinds.ts';
import { type DeleteOptions, deleteObject, isReleased, wrongUid } from './deletion.ts';
import { type Identities, newMetadata } from './identity.ts';
import { isRecord, type JsonRecord, recordAt, sameJson, textAt, without } from './json.ts';
import { withNominator } from './nominations.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbiddenValue,
  invalid,
  invalidValue,
  isRefusal,
  noNamespace,
  type Refusal,
  stale,
} from './status.ts';
import type { Store } from './store.ts';
import { toTimestamp } from './timestamps.ts';
import type { KubeObject, Metadata } from './wire.ts';

/** Who writes, and whether only for show. */
export interface WriteOptions {
  readonly actor: string;
  readonly dryRun?: boolean;
  /** What the client calls itself, where it says so. */
  readonly fieldManager?: string;
}

/** How an update came: a patch is judged by other answers than a PUT where uids differ. */
interface UpdateOptions extends WriteOptions {
  readonly by: 'put' | 'patch';
  readonly subresource?: 'status';
}

/** All writes to the cluster: admitted, validated, given their uid and version, then stored. */
export interface Registry {
  readonly clock: Clock;
  readonly store: Store;
  readonly resourceOfKind: (kind: string) => Resource | undefined;
  readonly create: (
    resource: Resource,
    namespace: string,
    body: unknown,
    options: WriteOptions,
  ) => KubeObject | Refusal;
  readonly update: (
    resource: Resource,
    current: KubeObject,
    proposed: JsonRecord,
    options: UpdateOptions,
  ) => KubeObject | Refusal;
  readonly remove: (
    resource: Resource,
    current: KubeObject,
    ask: DeleteOptions,
    options: WriteOptions,
  ) => KubeObject | Refusal;
}

/** What a registry is made of. */
export interface RegistryParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly resources: readonly Resource[];
  readonly customKinds: readonly CustomKind[];
}

interface Inside extends RegistryParts {
  readonly identities: Identities;
  readonly custom: ReadonlyMap<string, CustomKind>;
}

/** A registry over `store`. */
export function createRegistry(parts: RegistryParts): Registry {
  const { clock, store, random } = parts;
  const inside: Inside = {
    ...parts,
    identities: { uids: random.fork('uids'), names: random.fork('names') },
    custom: new Map(parts.customKinds.map((kind) => [kind.resource.kind, kind])),
  };
  const byKind = new Map(parts.resources.map((resource) => [resource.kind, resource]));
  return {
    clock,
    store,
    resourceOfKind: (kind) => byKind.get(kind),
    create: (resource, namespace, body, options) =>
      create(inside, resource, { namespace, body }, options),
    update: (resource, current, proposed, options) =>
      update(inside, resource, { current, proposed }, options),
    remove: (resource, current, ask, { actor, dryRun = false }) =>
      deleteObject(current, { store, now: clock.now(), resource, ask, actor, dryRun }),
  };
}

function create(
  inside: Inside,
  resource: Resource,
  { namespace, body }: { namespace: string; body: unknown },
  options: WriteOptions,
): KubeObject | Refusal {
  if (!isRecord(body)) return badRequest('the body is not a JSON object');
  const { store, clock, identities } = inside;
  const identity = newMetadata(identities, resource, namespace, recordAt(body, 'metadata'));
  if (isRefusal(identity)) return identity;
  if (resource.namespaced && store.get('Namespace', '', namespace) === undefined) {
    return noNamespace(namespace);
  }
  const metadata = { ...identity, creationTimestamp: toTimestamp(clock.now()) };
  const kept = resource.hasStatus && resource.kind !== 'Node' ? without(body, 'status') : body;
  const draft = { ...kept, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  const admitted = admitCreate(draft, admission(inside, resource));
  if (isRefusal(admitted)) return admitted;
  if (store.get(resource.kind, metadata.namespace ?? '', metadata.name) !== undefined) {
    return alreadyExists(resource, metadata.name);
  }
  return options.dryRun === true ? admitted : store.put(admitted, options.actor);
}

const admission = (inside: Inside, resource: Resource) => ({
  resource,
  store: inside.store,
  now: inside.clock.now(),
  custom: inside.custom.get(resource.kind),
});

function update(
  inside: Inside,
  resource: Resource,
  { current, proposed }: { current: KubeObject; proposed: JsonRecord },
  options: UpdateOptions,
): KubeObject | Refusal {
  const lost = preconditionLost(resource, current, proposed, options);
  if (lost !== undefined) return lost;
  const merged = separate(resource, current, proposed, options.subresource);
  const late = lateFinalizers(resource, current, merged.metadata);
  if (late !== undefined) return late;
  const admitted = admitUpdate(merged, current, {
    ...admission(inside, resource),
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
  });
  if (isRefusal(admitted)) return admitted;
  const next = reuse(withNominator(admitted, current, options.fieldManager), current);
  if (sameJson(next, current)) return current;
  const counted = countGeneration(resource, current, next);
  if (options.dryRun === true) return counted;
  const stored = inside.store.put(counted, options.actor);
  if (isReleased(stored)) inside.store.remove(stored, options.actor);
  return stored;
}

/** `next` with the very parts of `current` that are equal, so that what is known of them stays. */
function reuse(next: KubeObject, current: KubeObject): KubeObject {
  const keep = (a: unknown, b: unknown): unknown => (sameJson(a, b) ? b : a);
  const { labels } = current.metadata;
  const isSame = labels !== undefined && sameJson(next.metadata.labels, labels);
  return {
    ...next,
    metadata: isSame ? { ...next.metadata, labels } : next.metadata,
    ...('spec' in next ? { spec: keep(next.spec, current.spec) } : {}),
    ...('status' in next ? { status: keep(next.status, current.status) } : {}),
  };
}

function preconditionLost(
  resource: Resource,
  { metadata }: KubeObject,
  proposed: JsonRecord,
  { by }: UpdateOptions,
): Refusal | undefined {
  const { name, uid, resourceVersion, namespace = '' } = metadata;
  const asked = recordAt(proposed, 'metadata');
  if (isOther(textAt(asked, 'name'), name)) {
    return badRequest('the name of the object does not match the name on the URL');
  }
  if (isOther(textAt(asked, 'namespace'), namespace)) {
    return badRequest('the namespace of the object does not match the namespace on the request');
  }
  const askedUid = textAt(asked, 'uid') ?? '';
  if (isOther(askedUid, uid)) {
    return by === 'patch'
      ? invalid(resource, name, [invalidValue('metadata.uid', askedUid, 'field is immutable')])
      : conflict(resource, name, wrongUid(askedUid, uid));
  }
  return isOther(textAt(asked, 'resourceVersion'), resourceVersion)
    ? stale(resource, name)
    : undefined;
}

const isOther = (asked: string | undefined, found: string): boolean =>
  asked !== undefined && asked !== '' && asked !== found;

/** What of `proposed` this path may change; the rest stays as in `current`. */
function separate(
  resource: Resource,
  current: KubeObject,
  proposed: JsonRecord,
  subresource: 'status' | undefined,
): KubeObject {
  const identity = { apiVersion: current.apiVersion, kind: current.kind };
  if (subresource === 'status') {
    const { status: _, ...rest } = current;
    const metadata = resource.custom ? current.metadata : keepSystemFields(current, proposed);
    return { ...rest, ...identity, metadata, ...statusOf(proposed) };
  }
  const metadata = keepSystemFields(current, proposed);
  if (!resource.hasStatus) return { ...proposed, ...identity, metadata };
  return { ...without(proposed, 'status'), ...identity, metadata, ...statusOf(current) };
}

const statusOf = (object: unknown): { status?: unknown } =>
  isRecord(object) && object.status !== undefined ? { status: object.status } : {};

/** The metadata asked for, but for what only the API server sets. */
function keepSystemFields({ metadata }: KubeObject, proposed: JsonRecord): Metadata {
  const {
    labels: _,
    annotations: __,
    finalizers: ___,
    ownerReferences: ____,
    ...system
  } = metadata;
  const asked = without(
    recordAt(proposed, 'metadata'),
    'generation',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
  );
  return { ...asked, ...system };
}

function lateFinalizers(
  resource: Resource,
  { metadata }: KubeObject,
  next: Metadata,
): Refusal | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const held = metadata.finalizers ?? [];
  const late = (next.finalizers ?? []).filter((finalizer) => !held.includes(finalizer));
  if (late.length === 0) return undefined;
  const listed = late.map((finalizer) => `"${finalizer}"`).join(', ');
  const because = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`;
  return invalid(resource, metadata.name, [forbiddenValue('metadata.finalizers', because)]);
}

function countGeneration(resource: Resource, current: KubeObject, next: KubeObject): KubeObject {
  if (!resource.hasGeneration || sameJson(current.spec, next.spec)) return next;
  const generation = (current.metadata.generation ?? 1) + 1;
  return { ...next, metadata: { ...next.metadata, generation } };
}
