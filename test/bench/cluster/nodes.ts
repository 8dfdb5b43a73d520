/**
 * The nodes of the bench cluster: Nodes, NodeClaims, CSINodes, and the pools they came from, as
 * Karpenter v1.14 would leave them to whoever comes after it.
 */
import { decodeNodePool } from '#lib/kube/decode/decode-node-pool.ts';
import { nodePoolHash } from '#lib/model/node-pool-hash.ts';
import type { KubeObject, Metadata } from '#lib/sim/kubernetes/wire.ts';
import { meta, nodeNameOf, uidOf } from './workloads.ts';

const POOLS = ['batch', 'default', 'web'];
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
/** Types that hold sixteen of the bench's pods and their daemons, and what they can give. */
const TYPES = ['m5.4xlarge', 'm6i.4xlarge', 'r5.4xlarge'];
const CAPACITY = {
  cpu: '16',
  'ephemeral-storage': '20959212Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '64000000Ki',
  pods: '234',
};
const ALLOCATABLE = { ...CAPACITY, cpu: '15890m', memory: '60000000Ki' };

/** NodePools, their EC2NodeClass, and as many nodes as are asked for, each with its NodeClaim. */
export function* nodes(count: number, createdAt: string): Generator<KubeObject> {
  yield nodeClass(createdAt);
  for (const name of POOLS) yield nodePool(name, createdAt);
  for (let at = 0; at < count; at += 1) {
    yield node(at, createdAt);
    yield nodeClaim(at, createdAt);
    yield {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: meta(nodeNameOf(at), createdAt),
      spec: {
        drivers: [
          {
            name: 'ebs.csi.aws.com',
            nodeID: instanceId(at),
            topologyKeys: ['topology.ebs.csi.aws.com/zone'],
            allocatable: { count: 25 },
          },
        ],
      },
    };
  }
}

const instanceId = (at: number): string => `i-${at.toString(16).padStart(17, '0')}`;
/** What Karpenter's own hash of the EC2NodeClass says; nobody else can work it out. */
const NODE_CLASS_STAMPS = {
  'karpenter.k8s.aws/ec2nodeclass-hash': '3218426439478236517',
  'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
};
const zoneOf = (at: number): string => ZONES[at % ZONES.length] ?? '';
const poolOf = (at: number): string => POOLS[at % POOLS.length] ?? '';
const typeOf = (at: number): string => TYPES[Math.floor(at / 3) % TYPES.length] ?? '';

const labelsOf = (at: number) => ({
  'karpenter.sh/nodepool': poolOf(at),
  'karpenter.sh/capacity-type': 'on-demand',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'node.kubernetes.io/instance-type': typeOf(at),
  'topology.kubernetes.io/zone': zoneOf(at),
  'topology.kubernetes.io/region': 'us-east-1',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
});

const heartbeat = (type: string, status: string) => ({
  type,
  status,
  lastHeartbeatTime: '2026-11-20T11:58:05Z',
  lastTransitionTime: '2026-11-20T11:00:05Z',
  reason: `Kubelet${type}`,
  message: `kubelet has something to say about ${type}`,
});

const images = Array.from({ length: 30 }, (_, at) => ({
  names: [
    `602401143452.dkr.ecr.us-east-1.amazonaws.com/some/image-${at}@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945`,
    `602401143452.dkr.ecr.us-east-1.amazonaws.com/some/image-${at}:v1.2.3`,
  ],
  sizeBytes: 123_456_789 + at,
}));

const nodeStatus = {
  capacity: CAPACITY,
  allocatable: ALLOCATABLE,
  conditions: [
    ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => heartbeat(type, 'False')),
    heartbeat('Ready', 'True'),
  ],
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
  nodeInfo: { architecture: 'amd64', kubeletVersion: 'v1.33.0', operatingSystem: 'linux' },
  images,
};

function node(at: number, createdAt: string): KubeObject {
  const name = nodeNameOf(at);
  const labels = {
    ...labelsOf(at),
    'kubernetes.io/hostname': name,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta(name, createdAt, {
      labels,
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodeClaim',
          name: claimName(at),
          uid: uidOf(`/${claimName(at)}`),
          blockOwnerDeletion: true,
        },
      ],
    }),
    spec: { providerID: `aws:///${zoneOf(at)}/${instanceId(at)}` },
    status: nodeStatus,
  };
}

const claimName = (at: number): string => `${poolOf(at)}-${at.toString(36).padStart(5, '0')}`;

const conditions = (types: readonly string[], generation = 1) =>
  types.map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: '2026-11-20T11:00:05Z',
    observedGeneration: generation,
  }));

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const requirements = [
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: TYPES },
];

function nodeClaim(at: number, createdAt: string): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: meta(claimName(at), createdAt, {
      generation: 1,
      labels: labelsOf(at),
      annotations: { ...stampsOf(nodePool(poolOf(at), createdAt)), ...NODE_CLASS_STAMPS },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: poolOf(at),
          uid: uidOf(`/${poolOf(at)}`),
          blockOwnerDeletion: true,
        },
      ],
    }),
    spec: {
      nodeClassRef,
      requirements,
      expireAfter: '720h',
      resources: { requests: { cpu: '8', memory: '32Gi', pods: '20' } },
    },
    status: {
      nodeName: nodeNameOf(at),
      providerID: `aws:///${zoneOf(at)}/${instanceId(at)}`,
      imageID: 'ami-1',
      capacity: CAPACITY,
      allocatable: ALLOCATABLE,
      lastPodEventTime: '2026-11-20T11:00:05Z',
      conditions: conditions([
        'ConsistentStateFound',
        'Consolidatable',
        'Initialized',
        'Launched',
        'Ready',
        'Registered',
      ]),
    },
  };
}

function nodePool(name: string, createdAt: string): KubeObject {
  const known = nodePools.get(name);
  if (known) return known;
  const pool = unstampedPool(name, createdAt);
  const annotations = stampsOf(pool);
  const stamped = { ...pool, metadata: { ...pool.metadata, annotations } };
  nodePools.set(name, stamped);
  return stamped;
}

const nodePools = new Map<string, KubeObject>();

const stampsOf = (pool: KubeObject) => ({
  'karpenter.sh/nodepool-hash': nodePoolHash(decodeNodePool(pool)),
  'karpenter.sh/nodepool-hash-version': 'v3',
});

const unstampedPool = (name: string, createdAt: string): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: meta(name, createdAt, { generation: 1 } as Partial<Metadata>),
  spec: {
    disruption: {
      budgets: [{ nodes: '10%' }],
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '30s',
    },
    template: {
      spec: { nodeClassRef, requirements: requirements.slice(0, 2), expireAfter: '720h' },
    },
  },
  status: { conditions: conditions(['NodeClassReady', 'Ready', 'ValidationSucceeded']) },
});

const nodeClass = (createdAt: string): KubeObject => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: meta('default', createdAt, {
    generation: 1,
    annotations: NODE_CLASS_STAMPS,
    finalizers: ['karpenter.k8s.aws/termination'],
  }),
  spec: {
    role: 'node-role',
    metadataOptions: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    },
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'bench' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'bench' } }],
  },
  status: {
    subnets: ZONES.map((zone, at) => ({ id: `subnet-${at}`, zone, zoneID: `use1-az${at + 1}` })),
    securityGroups: [{ id: 'sg-1', name: 'nodes' }],
    amis: [
      {
        id: 'ami-1',
        name: 'amazon-eks-node-al2023-x86_64-standard-1.33-v20261101',
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    ],
    instanceProfile: 'bench_profile',
    conditions: conditions([
      'AMIsReady',
      'InstanceProfileReady',
      'Ready',
      'SecurityGroupsReady',
      'SubnetsReady',
      'ValidationSucceeded',
    ]),
  },
});
