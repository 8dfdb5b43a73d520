import type { Catalog } from '#lib/model/catalog.ts';
import { CONSOLIDATABLE } from '#lib/model/condition-types.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { aNodeClaim, conditionsUpTo } from '#test/build/node-claims.ts';
import { aCondition, aNodePool } from '#test/build/node-pools.ts';
import { aNode } from '#test/build/nodes.ts';
import { aRunningPod } from '#test/build/pods.ts';
import { aSnapshot, someSettings } from '#test/build/snapshots.ts';

const CPU = [50, 100, 250, 500, 1000, 2000];
const MEMORY_MIB = [64, 256, 512, 1024, 2048, 4096];
const MIB = 2 ** 20;
const SETTLED = [...conditionsUpTo('Initialized'), aCondition(CONSOLIDATABLE)];

/** The types that nodes of an aged cluster are of. */
const TYPES = ['m5.4xlarge', 'm6i.8xlarge', 'c6i.8xlarge', 'r6i.4xlarge', 'm7i.4xlarge'];
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/**
 * A cluster after its workloads shrank: `nodes` nodes of five types, each a third to two thirds full, `pods` pods
 * of 36 sizes. `catalog` must sell the types; its NodeClass is `default`.
 */
export function agedCluster(nodes: number, pods: number, catalog: Catalog): Snapshot {
  const types = new Map([...catalog.byNodeClass.values()].flat().map((type) => [type.name, type]));
  const perNode = Array.from({ length: nodes }, (): Pod[] => []);
  for (let at = 0; at < pods; at++) {
    // A step that shares no factor with the number of nodes walks over all of them, unevenly.
    const on = (at * 7919 + Math.floor(at / 13) * 31) % nodes;
    perNode[on]?.push(podOf(at, `node-${on}`));
  }
  return aSnapshot({
    catalog,
    settings: someSettings(),
    nodePools: [aNodePool({ disruption: { budgets: [{ nodes: '10%' }] } })],
    nodes: perNode.map((own, at) => nodeOf(at, own, types)),
  });
}

function podOf(at: number, nodeName: string): Pod {
  const cpu = CPU[(at * 5) % CPU.length] ?? 0;
  const memory = (MEMORY_MIB[(at * 7 + Math.floor(at / 11)) % MEMORY_MIB.length] ?? 0) * MIB;
  const name = `pod-${at}`;
  return aRunningPod({
    meta: { name, uid: name, labels: { app: `app-${at % 200}` } },
    nodeName,
    requests: { cpu, memory, pods: 1 },
  });
}

function nodeOf(
  at: number,
  pods: readonly Pod[],
  types: ReadonlyMap<string, { readonly allocatable: Readonly<Record<string, number>> }>,
): StateNode {
  const name = `node-${at}`;
  const type = TYPES[at % TYPES.length] ?? '';
  const zone = ZONES[at % ZONES.length] ?? '';
  const labels = {
    'node.kubernetes.io/instance-type': type,
    'topology.kubernetes.io/zone': zone,
    'kubernetes.io/hostname': name,
  };
  const providerId = `aws:///${zone}/i-${at}`;
  const allocatable = types.get(type)?.allocatable ?? {};
  return {
    name,
    node: aNode({
      meta: { name, uid: name, labels },
      providerId,
      allocatable,
      capacity: allocatable,
    }),
    claim: aNodeClaim({
      meta: { name: `claim-${at}`, uid: `claim-${at}`, labels },
      status: {
        nodeName: name,
        providerId,
        allocatable,
        capacity: allocatable,
        conditions: SETTLED,
      },
    }),
    pods,
  };
}
