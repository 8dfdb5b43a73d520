/**
 * Clusters like those of Karpenter's own scheduling benchmark.
 *
 * Source: karpenter v1.14, provisioning/scheduling/scheduling_benchmark_test.go and
 * cloudprovider/fake/instancetype.go: the kinds of pods, their sizes and the types, not the code.
 */
import { type Random, seededRandom } from '#lib/sim/random.ts';
import type { BenchCluster } from './bench-cluster.ts';

const CPU = ['100m', '250m', '500m', '1', '1500m'];
const MEMORY = ['100Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi'];
const LABELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

/**
 * A fifth each of pods that ask for nothing special, are spread over zones, are spread over nodes,
 * stay in the zone of their like, and share a node with none of their like.
 */
export function diverseCluster(count: number): BenchCluster {
  const random = seededRandom(1, 'bench');
  const pods = Array.from({ length: count }, (_, at) => {
    const kind = KINDS[Math.floor((at * KINDS.length) / count)] ?? plain;
    return podOf(at, kind(random), { cpu: draw(CPU, random), memory: draw(MEMORY, random) });
  });
  return { objects: [NODE_POOL, ...pods], catalog: inventedTypes(400) };
}

/** Pods of one size that would rather not share a zone or a node, and would like one zone best. */
export function preferringCluster(count: number): BenchCluster {
  const apart = (topologyKey: string, weight: number) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: { app: 'nginx' } } },
  });
  const affinity = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          preference: {
            matchExpressions: [{ key: ZONE, operator: 'In', values: ['test-zone-1'] }],
          },
        },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [apart(ZONE, 10), apart(HOSTNAME, 1)],
    },
  };
  const pods = Array.from({ length: count }, (_, at) =>
    podOf(at, { labels: { app: 'nginx' }, spec: { affinity } }, { cpu: '100m', memory: '4Gi' }),
  );
  return { objects: [NODE_POOL, ...pods], catalog: inventedTypes(400) };
}

/** Types of 1, 2, 3 … vCPU with 2 GiB each, at prices to match, in three zones, two of them for spot. */
export function inventedTypes(count: number): object {
  const instanceTypes = Array.from({ length: count }, (_, at) => {
    const vcpus = at + 1;
    const usdPerHour = 0.1 * vcpus + 0.1 * ((vcpus * 2 * 2 ** 30) / 1e9);
    const offering = (capacityType: string, zone: string) => ({
      capacityType,
      zone,
      usdPerHour,
      available: true,
    });
    return {
      name: `invented-${at}`,
      capacity: { cpu: `${vcpus}`, memory: `${vcpus * 2}Gi`, pods: `${vcpus * 10}` },
      overhead: { cpu: '100m', memory: '10Mi' },
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'kubernetes.io/os', operator: 'In', values: ['linux', 'windows'] },
      ],
      offerings: [
        offering('spot', 'test-zone-1'),
        offering('spot', 'test-zone-2'),
        ...['test-zone-1', 'test-zone-2', 'test-zone-3'].map((zone) => offering('on-demand', zone)),
      ],
    };
  });
  return { region: 'us-east-1', pricedAt: '2026-01-01T00:00:00Z', instanceTypes };
}

/** What makes a pod the kind that it is. */
interface Kind {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: object;
}

const draw = (values: readonly string[], random: Random): string =>
  values[random.between(0, values.length - 1)] ?? '';

const plain = (random: Random): Kind => ({
  labels: { 'my-label': draw(LABELS, random) },
  spec: {},
});

const spreadOver =
  (topologyKey: string) =>
  (random: Random): Kind => ({
    labels: { 'my-label': draw(LABELS, random) },
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { 'my-label': draw(LABELS, random) } },
        },
      ],
    },
  });

const term = (topologyKey: string, matchLabels: Readonly<Record<string, string>>) => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels } }],
});

const nearItsLike = (random: Random): Kind => {
  const labels = { 'my-affinity': draw(LABELS, random) };
  return { labels, spec: { affinity: { podAffinity: term(ZONE, labels) } } };
};

const alone = (): Kind => {
  const labels = { app: 'nginx' };
  return { labels, spec: { affinity: { podAntiAffinity: term(HOSTNAME, labels) } } };
};

const KINDS = [plain, spreadOver(ZONE), spreadOver(HOSTNAME), nearItsLike, alone];

const podOf = (at: number, { labels, spec }: Kind, requests: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${String(at).padStart(6, '0')}`, namespace: 'default', labels },
  spec: { ...spec, containers: [{ name: 'c', image: 'pause', resources: { requests } }] },
});

const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'bench' },
  spec: {
    limits: { cpu: '10000000', memory: '10000000Gi' },
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [],
      },
    },
  },
};
