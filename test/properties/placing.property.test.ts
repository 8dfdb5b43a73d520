import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { anyCluster } from '#test/build/any-cluster.ts';
import { unsoundness } from '#test/conformance/soundness.ts';

/** How many clusters are tried; a night's worth is JOINERY_FUZZ=20000. */
const CLUSTERS = Number(process.env.JOINERY_FUZZ ?? 200);

/** No law is judged by its time: this only ends a run that would never end. */
const PATIENCE_MS = 60_000 + CLUSTERS * 100;

/** The same cluster, every list the other way round. */
const reversed = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  pods: snapshot.pods.toReversed(),
  nodes: snapshot.nodes.toReversed().map((node) => ({ ...node, pods: node.pods.toReversed() })),
  nodePools: snapshot.nodePools.toReversed(),
  daemonSets: snapshot.daemonSets.toReversed(),
  persistentVolumeClaims: snapshot.persistentVolumeClaims.toReversed(),
  persistentVolumes: snapshot.persistentVolumes.toReversed(),
  storageClasses: snapshot.storageClasses.toReversed(),
  namespaces: snapshot.namespaces.toReversed(),
  catalog: {
    ...snapshot.catalog,
    byNodeClass: new Map(
      [...snapshot.catalog.byNodeClass].map(([name, types]) => [name, types.toReversed()]),
    ),
  },
});

describe('placing', () => {
  it(
    'is sound in every cluster, and refuses nobody whom a node would take',
    () => {
      fc.assert(
        fc.property(anyCluster, (snapshot) => {
          expect(unsoundness(snapshot, place(snapshot))).toEqual([]);
        }),
        { numRuns: CLUSTERS },
      );
    },
    PATIENCE_MS,
  );

  it(
    'does not depend on the order in which anything stands',
    () => {
      fc.assert(
        fc.property(anyCluster, (snapshot) => {
          expect(JSON.stringify(place(reversed(snapshot)))).toBe(JSON.stringify(place(snapshot)));
        }),
        { numRuns: Math.ceil(CLUSTERS / 3) },
      );
    },
    PATIENCE_MS,
  );
});
