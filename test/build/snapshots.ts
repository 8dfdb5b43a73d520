import { byNamespacedName } from '#lib/constraints/order.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { deepFreeze } from '#test/setup/freeze.ts';
import { aCatalog } from './instance-types.ts';
import { aNodeClass, aNodePool } from './node-pools.ts';
import { NOON } from './objects.ts';

/** The settings of the cluster `test` in us-east-1. */
export const someSettings = (difference: Partial<ClusterSettings> = {}): ClusterSettings => ({
  clusterName: 'test',
  region: 'us-east-1',
  clusterEndpoint: 'https://test.example.com',
  clusterCa: 'dGVzdA==',
  serviceCidr: '10.100.0.0/16',
  kubernetesVersion: '1.33',
  minValuesPolicy: 'Strict',
  preferencePolicy: 'Respect',
  vmMemoryOverheadPercent: 0.075,
  ...difference,
});

/**
 * A cluster at noon with the NodePool `default`, the NodeClass `default` and nothing else; frozen
 * through and through, its lists sorted.
 */
export function aSnapshot(difference: Partial<Snapshot> = {}): Snapshot {
  const snapshot: Snapshot = {
    takenAt: NOON,
    settings: someSettings(),
    nodePools: [aNodePool()],
    nodeClasses: [aNodeClass()],
    nodes: [],
    pods: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    volumeAttachments: [],
    namespaces: [],
    workloadSelectors: [],
    priorityClasses: [],
    nodeOverlays: [],
    capacityBuffers: [],
    bufferTargets: [],
    catalog: aCatalog(),
    soldOut: [],
    nodeClassFacts: [],
    leftOut: [],
    ...difference,
  };
  return deepFreeze({
    ...snapshot,
    nodePools: snapshot.nodePools.toSorted(byNamespacedName),
    nodeClasses: snapshot.nodeClasses.toSorted(byNamespacedName),
    nodes: snapshot.nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    pods: snapshot.pods.toSorted(byNamespacedName),
    daemonSets: snapshot.daemonSets.toSorted(byNamespacedName),
  });
}
