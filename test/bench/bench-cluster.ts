import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { snapshotOfFiles } from '#lib/cli/snapshot-of-files.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import type { SolveProblem } from '#lib/solver/solve.ts';

/** A cluster as files would describe it. */
export interface BenchCluster {
  readonly objects: readonly object[];
  /** In the format of a catalogue file; absent: the embedded table. */
  readonly catalog?: object;
}

/** What is to be solved in a cluster: reading its files is no part of what is measured. */
export function problemOf({ objects, catalog }: BenchCluster): SolveProblem {
  const documents = objects.map((object) => ({
    file: 'bench',
    document: 1,
    object: { ...object },
  }));
  const made = snapshotOfFiles(documents, catalog ? { catalog: decodeCatalog(catalog) } : {});
  if ('problems' in made) throw new Error(JSON.stringify(made.problems[0]));
  return { snapshot: made.snapshot, ...podsToPlace(made.snapshot) };
}
