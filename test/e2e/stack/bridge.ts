import { setTimeout as delay } from 'node:timers/promises';
import {
  DescribeInstanceAttributeCommand,
  DescribeInstanceTypesCommand,
  EC2Client,
  type Instance,
  type InstanceTypeInfo,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import { kubernetesVersion } from './binary.ts';
import type { ClusterClient } from './cluster-client.ts';
import { readRegistration } from './node-registration.ts';

/** What joins EC2's emulator and the cluster. */
export interface Bridge {
  /** By instance: when it was first seen. */
  readonly seenAt: ReadonlyMap<string, number>;
  /** The ids of those that are pending or running now. */
  readonly living: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

/** How instances become Nodes. */
export interface BridgeOptions {
  readonly region: string;
  readonly endpoint: string;
  readonly cluster: ClusterClient;
  /** From an instance's first sight to its Node. */
  readonly bootMs?: number;
  /** Instances that run, but whose kubelet never registers. */
  readonly staysAway?: (instance: Instance) => boolean;
  readonly tell?: (line: string) => void;
}

const POLL_MS = 250;
/** From a machine's end to the cloud controller's noticing. */
const GONE_MS = 500;

interface State extends BridgeOptions {
  readonly ec2: EC2Client;
  readonly types: Map<string, Promise<InstanceTypeInfo>>;
  readonly seenAt: Map<string, number>;
  readonly nodes: Map<string, string>;
  readonly busy: Set<Promise<void>>;
  isOver: boolean;
}

/**
 * Plays, for the instances of the emulator, the parts of a cluster that kwok does not: the
 * kubelet's registration, its falling silent with its machine, and the cloud controller manager,
 * which deletes the Node of an instance that is gone. It knows nothing of Joinery.
 */
export function startBridge(options: BridgeOptions): Bridge {
  const { region, endpoint } = options;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const state: State = {
    ...options,
    ec2: new EC2Client({ region, endpoint, credentials }),
    types: new Map(),
    seenAt: new Map(),
    nodes: new Map(),
    busy: new Set(),
    isOver: false,
  };
  const ended = (async () => {
    while (!state.isOver) {
      await look(state).catch((error: unknown) => state.tell?.(`bridge: ${String(error)}`));
      await delay(POLL_MS);
    }
    await Promise.all(state.busy);
    state.ec2.destroy();
  })();
  return {
    seenAt: state.seenAt,
    living: async () => [...(await livingIn(state)).keys()].sort(),
    stop: async () => {
      state.isOver = true;
      await ended;
    },
  };
}

async function livingIn({ ec2 }: State): Promise<ReadonlyMap<string, Instance>> {
  const living = new Map<string, Instance>();
  const query = { Filters: [{ Name: 'instance-state-name', Values: ['pending', 'running'] }] };
  for await (const page of paginateDescribeInstances({ client: ec2 }, query)) {
    for (const instance of page.Reservations?.flatMap(({ Instances = [] }) => Instances) ?? []) {
      living.set(instance.InstanceId ?? '', instance);
    }
  }
  return living;
}

async function look(state: State): Promise<void> {
  const living = await livingIn(state);
  for (const [id, instance] of living) {
    if (state.seenAt.has(id)) continue;
    state.seenAt.set(id, Date.now());
    if (!state.staysAway?.(instance)) begin(state, () => join(state, instance));
  }
  for (const [id, node] of state.nodes) {
    if (living.has(id)) continue;
    state.nodes.delete(id);
    begin(state, () => leave(state, node));
  }
}

function begin(state: State, act: () => Promise<void>): void {
  const work: Promise<void> = act()
    .catch((error: unknown) => state.tell?.(`bridge: ${String(error)}`))
    .finally(() => state.busy.delete(work));
  state.busy.add(work);
}

async function join(state: State, instance: Instance): Promise<void> {
  await delay(state.bootMs ?? 1_000);
  if (state.isOver) return;
  const { InstanceId = '', InstanceType = '', PrivateDnsName = '' } = instance;
  const [type, attribute] = await Promise.all([
    typeOf(state, InstanceType),
    state.ec2.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute: 'userData' })),
  ]);
  await state.cluster.apply(nodeOf(instance, type, attribute.UserData?.Value ?? ''));
  state.nodes.set(InstanceId, PrivateDnsName);
}

function typeOf({ types, ec2 }: State, name: string): Promise<InstanceTypeInfo> {
  const known = types.get(name);
  if (known !== undefined) return known;
  const asked = ec2
    .send(new DescribeInstanceTypesCommand({ InstanceTypes: [name as never] }))
    .then(({ InstanceTypes: [info] = [] }) => {
      if (info === undefined) throw new Error(`expected the emulator to know ${name}`);
      return info;
    });
  types.set(name, asked);
  return asked;
}

/** Roughly what the hypervisor, the system and the kubelet leave. */
const MEMORY_SHARE = 0.925;
const KEPT_MIB = 600;
const KEPT_MILLICPU = 80;

/** The Node that this instance's kubelet would register. */
function nodeOf(instance: Instance, type: InstanceTypeInfo, userData: string) {
  const { labels, taints, maxPods } = readRegistration(userData);
  const zone = instance.Placement?.AvailabilityZone ?? '';
  const name = instance.PrivateDnsName ?? '';
  const vcpus = type.VCpuInfo?.DefaultVCpus ?? 1;
  const memoryMib = Math.floor((type.MemoryInfo?.SizeInMiB ?? 0) * MEMORY_SHARE);
  const gpus = (type.GpuInfo?.Gpus ?? []).reduce((sum, { Count = 0 }) => sum + Count, 0);
  const others = {
    pods: String(maxPods),
    'ephemeral-storage': '18Gi',
    ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }),
  };
  const isArm = type.ProcessorInfo?.SupportedArchitectures?.includes('arm64') ?? false;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': isArm ? 'arm64' : 'amd64',
        'node.kubernetes.io/instance-type': instance.InstanceType ?? '',
        'topology.kubernetes.io/zone': zone,
        'topology.kubernetes.io/region': zone.slice(0, -1),
        ...labels,
      },
    },
    spec: { providerID: `aws:///${zone}/${instance.InstanceId}`, taints },
    status: {
      capacity: { ...others, cpu: String(vcpus), memory: `${memoryMib}Mi` },
      allocatable: {
        ...others,
        cpu: `${vcpus * 1_000 - KEPT_MILLICPU}m`,
        memory: `${memoryMib - KEPT_MIB}Mi`,
      },
      addresses: [
        { type: 'InternalIP', address: instance.PrivateIpAddress ?? '' },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        architecture: isArm ? 'arm64' : 'amd64',
        bootID: '',
        containerRuntimeVersion: 'kwok',
        kernelVersion: 'kwok',
        kubeProxyVersion: '',
        kubeletVersion: kubernetesVersion(),
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'kwok',
        systemUUID: '',
      },
    },
  };
}

/**
 * The kubelet falls silent (Ready is Unknown first, or the replacements of its pods would be bound
 * to it again); the cloud controller deletes the Node, which finalizers keep; its pods go at once,
 * where the pod garbage collector would take a minute.
 */
async function leave({ cluster }: State, node: string): Promise<void> {
  const now = new Date().toISOString();
  const path = `/api/v1/nodes/${node}`;
  const ready = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const whereItIs = { metadata: { annotations: { 'kwok.x-k8s.io/node': null } } };
  // It may be gone already: then there is nothing to be silent about.
  await cluster.patch(path, whereItIs).catch(() => undefined);
  await cluster.patch(`${path}/status`, { status: { conditions: [ready] } }).catch(() => undefined);
  await delay(GONE_MS);
  await cluster.remove(path);
  const orphans = await cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` });
  await Promise.all(
    orphans.map(({ metadata: { namespace, name } }) =>
      cluster.remove(`/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: '0' }),
    ),
  );
}
