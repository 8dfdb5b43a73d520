import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BenchCluster } from './bench-cluster.ts';
import { diverseCluster, inventedTypes, preferringCluster } from './diverse-cluster.ts';
import { distinctCluster, plainCluster } from './plain-cluster.ts';

/** What Karpenter v1.14 made of the same objects. */
interface OfKarpenter {
  readonly usdPerHour: number;
}

const FOLDER = 'test/scenarios/provision';

const unpacked = (file: string) =>
  JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}.json.gz`)).toString('utf8'));

/** The cost families: names, and each with its catalogue and what Karpenter v1.14 made of it. */
export function costFamilies(): ReadonlyMap<
  string,
  { readonly cluster: BenchCluster; readonly karpenter: OfKarpenter }
> {
  const families: Readonly<
    Record<string, { catalog: string; objects: object[]; karpenter: OfKarpenter }>
  > = unpacked('cost');
  return new Map(
    Object.entries(families).map(([name, { catalog, objects, karpenter }]) => [
      name,
      { cluster: { objects, catalog: unpacked(`catalogs/${catalog}`) }, karpenter },
    ]),
  );
}

/** Makes a cluster from its name and size, as a bench child is told them. */
export function clusterOf(kind: string, size: number): BenchCluster {
  switch (kind) {
    case 'diverse':
      return diverseCluster(size);
    case 'preferring':
      return preferringCluster(size);
    case 'plain':
      return plainCluster(size);
    case 'plain-1200-types':
      return { ...plainCluster(size), catalog: inventedTypes(1200) };
    case 'distinct':
      return distinctCluster(size);
    case 'distinct-too-large':
      return distinctCluster(size, 1000);
    default: {
      const family = costFamilies().get(kind);
      if (!family) throw new Error(`expected the name of a bench cluster, found ${kind}`);
      return family.cluster;
    }
  }
}
