/** Clusters that were recorded together with what Karpenter v1.14 did with them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { parseInstant } from '#lib/model/time.ts';

/** One cluster, and what one pass of Karpenter's placed, refused and spent. */
export interface RecordedScenario {
  readonly name: string;
  readonly now: string;
  /** The name of a catalog beside it. */
  readonly catalog: string;
  /** What it is about. */
  readonly features: readonly string[];
  /** As a cluster returns them. */
  readonly objects: readonly Record<string, unknown>[];
  readonly karpenter: {
    /** namespace/name, sorted. */
    readonly placed: readonly string[];
    readonly refused: readonly string[];
    readonly usdPerHour: number;
  };
}

const ROOT = 'test/scenarios/provision';
const read = (path: string) =>
  JSON.parse(gunzipSync(readFileSync(`${ROOT}/${path}.json.gz`)).toString('utf8'));

/** All scenarios of a family: small clusters that mix features, or many pods to place cheaply. */
export const recordedScenarios = (family: 'features' | 'cost'): readonly RecordedScenario[] =>
  Object.entries<Omit<RecordedScenario, 'name'>>(read(family)).map(([name, scenario]) => ({
    name,
    ...scenario,
  }));

type Offered = ReturnType<typeof decodeCatalog>;

const catalogs = new Map<string, Offered>();

function catalogOf(name: string): Offered {
  const catalog = catalogs.get(name) ?? decodeCatalog(read(`catalogs/${name}`));
  catalogs.set(name, catalog);
  return catalog;
}

/** The Snapshot of a scenario, its objects in the order that `arrange` gives them. */
export function snapshotOfScenario(
  { now, catalog, objects }: RecordedScenario,
  arrange: (objects: RecordedScenario['objects']) => RecordedScenario['objects'] = (same) => same,
): Snapshot {
  const instant = parseInstant(now);
  const made = snapshotOfFiles(
    arrange(objects).map((object) => ({ file: 'objects.json', document: 1, object })),
    { catalog: catalogOf(catalog), ...(instant !== undefined && { now: instant }) },
  );
  if ('problems' in made) throw new Error(JSON.stringify(made.problems));
  return made.snapshot;
}
