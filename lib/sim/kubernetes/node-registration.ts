import { formatResources } from '#lib/constraints/resources.ts';
import { ARCH, HOSTNAME, OS } from '#lib/model/labels.ts';
import type { Instant } from '../clock.ts';
import type { Machine } from '../machine.ts';
import { type NodeCapacity, nodeCapacity } from './node-capacity.ts';
import type { NodeConfig } from './node-config.ts';
import { toTimestamp } from './timestamps.ts';
import type { WireCondition, WireTaint } from './wire.ts';
import type { NewObject } from './writer.ts';

/** Until the cloud controller has seen a Node. Source: kubernetes v1.36, cloud-provider/api. */
export const UNINITIALIZED: WireTaint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** The Node that a machine's kubelet registers: named by its DNS name, not ready yet. */
export function newNode(
  machine: Machine,
  config: NodeConfig,
  version: string,
  now: Instant,
): NewObject {
  const arch = machine.type.architecture === 'arm64' ? 'arm64' : 'amd64';
  const amounts = nodeCapacity(machine, config);
  return {
    kind: 'Node',
    metadata: {
      name: machine.privateDnsName,
      labels: {
        'beta.kubernetes.io/arch': arch,
        'beta.kubernetes.io/os': 'linux',
        [ARCH]: arch,
        [HOSTNAME]: machine.privateDnsName,
        [OS]: 'linux',
        ...config.labels,
      },
    },
    spec: {
      providerID: `aws:///${machine.zone}/${machine.id}`,
      taints: [...config.taints, UNINITIALIZED],
    },
    status: {
      ...amountsOf(amounts),
      addresses: [
        { type: 'InternalIP', address: machine.privateIp },
        { type: 'InternalDNS', address: machine.privateDnsName },
        { type: 'Hostname', address: machine.privateDnsName },
      ],
      conditions: [...pressures(now), readiness(false, now)],
      nodeInfo: {
        architecture: arch,
        containerRuntimeVersion: 'containerd://2.1.5',
        kernelVersion: '6.12.55-74.119.amzn2023',
        kubeletVersion: `v${version}.0-eks-0`,
        operatingSystem: 'linux',
        osImage: 'Amazon Linux 2023',
      },
    },
  };
}

const amountsOf = ({ capacity, allocatable }: NodeCapacity) => ({
  capacity: formatResources(capacity),
  allocatable: formatResources(allocatable),
});

const PRESSURES = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

const pressures = (now: Instant): readonly WireCondition[] =>
  PRESSURES.map(([type, reason, message]) => ({
    type,
    status: 'False',
    reason,
    message,
    lastHeartbeatTime: toTimestamp(now),
    lastTransitionTime: toTimestamp(now),
  }));

/** A kubelet's Ready condition before and after its network plugin has started. */
export const readiness = (isUp: boolean, now: Instant): WireCondition => ({
  type: 'Ready',
  status: isUp ? 'True' : 'False',
  reason: isUp ? 'KubeletReady' : 'KubeletNotReady',
  message: isUp
    ? 'kubelet is posting ready status'
    : 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
  lastHeartbeatTime: toTimestamp(now),
  lastTransitionTime: toTimestamp(now),
});
