import { type BufferTargets, decodeTargets, targetRefs } from '#lib/kube/buffer-targets.ts';
import { decodeObjects, identityOf } from '#lib/kube/decode/decode.ts';
import type { Wire } from '#lib/kube/decode/field.ts';
import { decodeSoldOut, SOLD_OUT_NAME } from '#lib/kube/sold-out.ts';
import type { CapacityBuffer } from '#lib/model/capacity-buffer.ts';
import { NAMESPACE } from '#lib/model/labels.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { LeftOut, Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { assemble } from '#lib/observe/assemble.ts';
import { assumeReady } from './assume-ready.ts';
import { budgetStatus } from './budget-status.ts';
import { expandWorkloads } from './expand-workloads.ts';
import { embeddedCatalog, givenCatalog, type OfferedTypes } from './file-catalog.ts';
import { filledIn, keyOf, latestInstant, namespaceOf, prioritiesOf } from './file-objects.ts';
import { createOwnKinds, isOwnKind } from './own-kinds.ts';
import type { FileDocument, FileProblem } from './read-documents.ts';

/** How files are to be read as a cluster. */
export interface FileSnapshotOptions {
  /** The Snapshot's takenAt; without it, the latest instant in the files, else 2026-01-01. */
  readonly now?: EpochMs;
  /** What EC2 sells; without it, the embedded table in the region that the files name. */
  readonly catalog?: OfferedTypes;
  readonly settings?: Partial<ClusterSettings>;
}

/** A Snapshot and what is to be said of how it came about; or what is wrong with the files. */
export type FileSnapshot =
  | { readonly snapshot: Snapshot; readonly warnings: readonly string[] }
  | { readonly problems: readonly FileProblem[] };

/**
 * Reads objects of files as the cluster that they describe: what an API server, controllers and the
 * scheduler would have added is filled in, the same way each time. An object of our kinds that an
 * API server would refuse, and the same object twice, are problems; any other object that cannot be
 * read is left out and named in the warnings.
 */
export function snapshotOfFiles(
  documents: readonly FileDocument[],
  options: FileSnapshotOptions = {},
): FileSnapshot {
  const kept = keptObjects(documents);
  if (kept.problems.length > 0) return { problems: kept.problems };
  const expansion = expandWorkloads(kept.objects);
  const objects = [...kept.objects, ...withoutThose(expansion.objects, kept.objects)];
  const now = options.now ?? latestInstant(objects);
  const priorities = prioritiesOf(objects);
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const complete = (object: Wire): Wire =>
    filledIn(withBudgetStatus(object, pods), now, priorities);
  const read = decodeObjects(mapped(objects, complete));
  const sold = soldOutIn(objects, now);
  const settings = { ...SETTINGS, ...options.settings };
  const source =
    options.catalog === undefined
      ? embeddedCatalog(read.objects, settings)
      : givenCatalog(options.catalog);
  if ('problem' in source) return { problems: [{ file: '-f', problem: source.problem }] };
  const buffers = targetsIn(objects, complete, read.objects.capacityBuffers);
  const assumed = assumeReady(read.objects, source.subnets, now);
  const snapshot = assemble(assumed.objects, {
    takenAt: now,
    settings: { ...settings, region: source.region },
    catalog: source.catalogFor(assumed.objects.nodeClasses, sold.soldOut, now),
    soldOut: sold.soldOut,
    leftOut: [...read.leftOut, ...sold.leftOut, ...buffers.leftOut],
    bufferTargets: buffers.targets,
    nodeClassFacts: [],
  });
  const warnings = [
    ...expansion.warnings,
    ...assumed.warnings,
    ...snapshot.leftOut.map(describeLeftOut),
    ...read.unknownKinds.map((kind) => `${kind}: objects of this kind are left out`),
  ];
  return { snapshot, warnings: warnings.sort() };
}

const withBudgetStatus = (object: Wire, pods: readonly Wire[]): Wire =>
  object.kind === 'PodDisruptionBudget' && (object.status ?? undefined) === undefined
    ? { ...object, status: budgetStatus(object, pods) }
    : object;

/** What files do not say; nothing that is placed depends on it. */
const SETTINGS: ClusterSettings = {
  clusterName: 'files',
  region: '',
  clusterEndpoint: 'https://files.invalid',
  clusterCa: '',
  serviceCidr: '10.100.0.0/16',
  kubernetesVersion: '1.34',
  minValuesPolicy: 'Strict',
  preferencePolicy: 'Respect',
  vmMemoryOverheadPercent: 0.075,
};

function keptObjects(documents: readonly FileDocument[]): {
  readonly objects: readonly Wire[];
  readonly problems: readonly FileProblem[];
} {
  const ownKinds = createOwnKinds();
  const places = new Map<string, FileDocument>();
  const objects: Wire[] = [];
  const problems: FileProblem[] = [];
  for (const found of documents) {
    const { file, document, object } = found;
    const twin = remember(places, found);
    if (twin !== undefined) {
      const first = `${twin.file}, document ${twin.document}`;
      problems.push({ file, document, problem: `${keyOf(object)} stands already in ${first}` });
    }
    const own = isOwnKind(object) ? ownKinds(object) : { object };
    if ('object' in own) objects.push(own.object);
    else {
      const { kind, name } = identityOf(object);
      const refusals = own.refusals.map((problem) => ({
        file,
        document,
        problem: `${kind} ${name}: ${problem}`,
      }));
      problems.push(...refusals);
    }
  }
  return { objects, problems };
}

/** The document that holds the same object, if one does; objects without a name are no twins. */
function remember(
  places: Map<string, FileDocument>,
  found: FileDocument,
): FileDocument | undefined {
  if (identityOf(found.object).name === '') return undefined;
  const key = keyOf(found.object);
  const twin = places.get(key);
  if (twin === undefined) places.set(key, found);
  return twin;
}

/** Those of `made` that are not there already, such as a StatefulSet's volume claims. */
function withoutThose(made: readonly Wire[], there: readonly Wire[]): readonly Wire[] {
  if (made.length === 0) return made;
  const keys = new Set(there.map(keyOf));
  return made.filter((object) => !keys.has(keyOf(object)));
}

function* mapped<From, To>(items: Iterable<From>, change: (item: From) => To): Iterable<To> {
  for (const item of items) yield change(item);
}

function soldOutIn(objects: readonly Wire[], now: EpochMs): ReturnType<typeof decodeSoldOut> {
  const ours = objects.find((object) => {
    const { kind, namespace, name } = identityOf(object);
    return kind === 'ConfigMap' && namespace === NAMESPACE && name === SOLD_OUT_NAME;
  });
  return ours === undefined
    ? { soldOut: [], fullSubnets: [], leftOut: [] }
    : decodeSoldOut(ours, now);
}

/** What CapacityBuffers of the files refer to, as far as the files hold it. */
function targetsIn(
  objects: readonly Wire[],
  complete: (object: Wire) => Wire,
  buffers: readonly CapacityBuffer[],
): BufferTargets {
  const found = targetRefs(buffers).map((ref) =>
    decodeTargets(
      ref,
      objects
        .filter((object) => {
          const { kind, name } = identityOf(object);
          return kind === ref.kind && name === ref.name && namespaceOf(object) === ref.namespace;
        })
        .map(complete),
    ),
  );
  return {
    targets: found.flatMap(({ targets }) => targets),
    leftOut: found.flatMap(({ leftOut }) => leftOut),
  };
}

function describeLeftOut({ object, field, problem }: LeftOut): string {
  const place = object.namespace === undefined ? '' : `${object.namespace}/`;
  return `${object.kind} ${place}${object.name} is left out: ${field === '' ? '' : `${field}: `}${problem}`;
}
