/**
 * A cluster at which nothing happens, with all that the real functions ask of it: made by the
 * embedded world, in which Joinery provisioned and consolidated it until nothing was left to do.
 */
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { crdTexts } from '#lib/cli/crds.ts';
import { embeddedWith } from '#lib/cli/embedded.ts';
import { machineTypes } from '#lib/cli/stories/machine-types.ts';
import type { KubeObject } from '#lib/sim/kubernetes/wire.ts';
import { createWorld } from '#lib/sim/world.ts';
import { NOON } from '#test/build/objects.ts';
import { managedFields, podBody } from '../cluster/pod-body.ts';

/** A cluster as its API server and AWS would tell of it. */
export interface IdleCluster {
  readonly now: number;
  readonly nodes: number;
  readonly pods: number;
  readonly objects: readonly KubeObject[];
  readonly answers: Answers;
}

/** What AWS last answered each operation, page by page, in the SDK's shape, by `pageOf`. */
export type Answers = ReadonlyMap<string, unknown>;

/** The name of a page: the operation and the token that it was asked for with. */
export const pageOf = (operation: string, token: unknown): string => `${operation} ${token ?? ''}`;

const REGION = 'us-east-1';
export const CLUSTER = 'bench';
const MINUTE_MS = 60_000;
/** Half of a machine of four cores, so that no two of these fit where three were. */
const PODS_PER_NODE = 8;
const POD = { cpu: '430m', memory: '1500Mi' };
const KINDS = [
  ...['Namespace', 'Node', 'Pod', 'ConfigMap', 'Service', 'CSINode', 'Lease', 'PriorityClass'],
  ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'PodDisruptionBudget'],
  ...['StorageClass', 'PersistentVolume', 'PersistentVolumeClaim', 'VolumeAttachment'],
  ...['NodeClaim', 'NodePool', 'EC2NodeClass'],
];
const SELECTOR = [{ tags: { 'karpenter.sh/discovery': CLUSTER } }];
const images = Array.from({ length: 30 }, (_, at) => ({
  names: [`registry.example/some/image-${at}@sha256:${'4f53cda18c2baa0c'.repeat(4)}`],
  sizeBytes: 123_456_789 + at,
}));

/** Plays until `nodes` nodes and their pods have been at rest for a while. */
export async function idleCluster(nodes: number): Promise<IdleCluster> {
  const answers = new Map<string, unknown>();
  const table = embeddedTable(REGION);
  if (table === undefined) throw new Error(`expected an embedded region, found ${REGION}`);
  const world = createWorld({
    ...{ seed: 1, start: NOON, region: REGION, clusterName: CLUSTER },
    types: machineTypes(table),
    crds: crdTexts(),
    connect: (ports) =>
      embeddedWith({})({
        ...ports,
        aws: async (name, input) => {
          const answer = await ports.aws(name, input);
          answers.set(pageOf(name, Object(input).NextToken), answer);
          return answer;
        },
      }),
  });
  world.apply(manifestsFor(nodes));
  await world.run(30 * MINUTE_MS);
  const objects = KINDS.flatMap((kind) => world.kubernetes.list(kind)).map(asLongAsReal);
  const count = (kind: string) => world.kubernetes.list(kind).length;
  return {
    ...{ now: world.clock.now(), nodes: count('Node'), pods: count('Pod') },
    ...{ objects, answers },
  };
}

/** Real objects are longer than the embedded ones: who wrote them, and what images a node holds. */
function asLongAsReal(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata, managedFields };
  if (object.kind !== 'Node') return { ...object, metadata };
  return { ...object, metadata, status: { ...Object(object.status), images } };
}

function manifestsFor(nodes: number): readonly unknown[] {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const labels = { app: 'web' };
  return [
    {
      ...{
        apiVersion: 'karpenter.k8s.aws/v1',
        kind: 'EC2NodeClass',
        metadata: { name: 'default' },
      },
      spec: {
        ...{ role: 'node-role', amiSelectorTerms: [{ alias: 'al2023@latest' }] },
        ...{ subnetSelectorTerms: SELECTOR, securityGroupSelectorTerms: SELECTOR },
      },
    },
    {
      ...{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' } },
      spec: {
        template: {
          spec: {
            nodeClassRef,
            expireAfter: '720h',
            requirements: [
              { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
              { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
              { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['m'] },
              { key: 'karpenter.k8s.aws/instance-cpu', operator: 'In', values: ['4'] },
            ],
          },
        },
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '1m' },
      },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
      spec: {
        replicas: nodes * PODS_PER_NODE,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podBody(labels, POD).spec },
      },
    },
  ];
}
