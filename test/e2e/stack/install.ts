import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { crdTexts } from '#lib/cli/crds.ts';
import type { ClusterClient } from './cluster-client.ts';
import { until } from './control-plane.ts';

const FOLDER = new URL('../../../infra/cluster/', import.meta.url);

/** The objects in a file of infra/cluster. */
export const objectsIn = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  parseAllDocuments(text).map((document) => document.toJS());

/** Does what `kubectl apply -k infra/cluster` does, and waits until the API server serves the kinds. */
export async function installJoinery(cluster: ClusterClient): Promise<void> {
  for (const object of crdTexts().flatMap(objectsIn)) await cluster.apply(object);
  for (const file of ['namespace.yaml', 'rbac.yaml']) {
    for (const object of objectsIn(readFileSync(new URL(file, FOLDER), 'utf8'))) {
      await cluster.apply(object);
    }
  }
  const kinds = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass', 'CapacityBuffer'] as const;
  await until(
    async () => {
      const lists = await Promise.allSettled(kinds.map((kind) => cluster.list(kind)));
      return lists.every(({ status }) => status === 'fulfilled');
    },
    20_000,
    () => 'the API server serves our kinds',
  );
}
