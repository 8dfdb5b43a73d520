/** Clusters whose workload shrank, recorded together with where Karpenter v1.14 left them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { parseInstant } from '#lib/model/time.ts';

/** One cluster, and what Karpenter's consolidation made of it when it was followed to its end. */
export interface RecordedConsolidation {
  readonly name: string;
  readonly snapshot: Snapshot;
  readonly karpenter: {
    readonly usdPerHour: number;
    /** Moves, not pods: who moves twice counts twice. */
    readonly podsMoved: number;
    readonly nodes: number;
    readonly cpuMillis: number;
  };
}

interface Recorded {
  readonly now: string;
  readonly catalog: string;
  readonly objects: readonly Record<string, unknown>[];
  readonly karpenter: RecordedConsolidation['karpenter'];
}

const read = (path: string) =>
  JSON.parse(gunzipSync(readFileSync(`test/scenarios/${path}.json.gz`)).toString('utf8'));

/** All of them, by name. */
export function recordedConsolidations(): readonly RecordedConsolidation[] {
  const catalogs = new Map<string, ReturnType<typeof decodeCatalog>>();
  const recorded: Readonly<Record<string, Recorded>> = read('consolidation/recorded');
  return Object.entries(recorded).map(([name, { now, catalog, objects, karpenter }]) => {
    const offered = catalogs.get(catalog) ?? decodeCatalog(read(`provision/catalogs/${catalog}`));
    catalogs.set(catalog, offered);
    const instant = parseInstant(now);
    const made = snapshotOfFiles(
      objects.map((object) => ({ file: 'objects.json', document: 1, object })),
      { catalog: offered, ...(instant !== undefined && { now: instant }) },
    );
    if ('problems' in made) throw new Error(JSON.stringify(made.problems));
    return { name, snapshot: made.snapshot, karpenter };
  });
}
