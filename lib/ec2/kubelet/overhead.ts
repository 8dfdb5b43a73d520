import { parseAmount } from '#lib/constraints/quantity.ts';
import { addResources, amountOf, type Resources } from '#lib/constraints/resources.ts';
import type { NodeSettings } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { KubeletReserves } from '#lib/model/instance-type.ts';
import { networkPodLimit } from './pod-limit.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Source: the bootstrap of EKS's images: 11 MiB a pod, 255 MiB besides, 1 GiB of disk. */
const KUBE_MIB_PER_POD = 11;
const KUBE_MIB_BASE = 255;
const KUBE_STORAGE_BYTES = GIB;
/** Source: the bootstrap of EKS's images: shares of the first, the second, two more, other cores. */
const KUBE_CPU_SHARES: readonly { readonly millicores: number; readonly share: number }[] = [
  { millicores: 1000, share: 0.06 },
  { millicores: 1000, share: 0.01 },
  { millicores: 2000, share: 0.005 },
  { millicores: Number.POSITIVE_INFINITY, share: 0.0025 },
];
/** Source: kubernetes v1.36, kubelet's default hard eviction thresholds. */
const EVICTION_MEMORY_BYTES = 100 * MIB;
const EVICTION_STORAGE_PERCENT = 10;

/**
 * What a node of this type keeps from its pods: for kubelet and runtime, for the system, and what
 * must stay free so that nothing is evicted.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, kubeReservedResources,
 * systemReservedResources, evictionThreshold.
 */
export function overheadOf(
  facts: InstanceTypeFacts,
  settings: NodeSettings,
  capacity: Resources,
  reserves: KubeletReserves,
): Resources {
  const { evictionHard = {} } = settings.nodeClass.spec.kubelet ?? {};
  const reserved = addResources(
    { ...kubeReserved(facts, settings, capacity), ...parsed(reserves.kubeReserved) },
    parsed(reserves.systemReserved),
  );
  return addResources(reserved, evictionThreshold(capacity, evictionHard));
}

/**
 * What is left for pods: capacity less overhead, hugepages taken off memory, nothing below 0 and
 * no resource that the node does not have. Of a node that keeps more than it has, kubelet does
 * not even start: it has no room for any pod.
 */
export function allocatableOf(capacity: Resources, overhead: Resources): Resources {
  const left: Record<string, number> = {};
  for (const [name, amount] of Object.entries(capacity)) {
    left[name] = (left[name] ?? 0) + amount - amountOf(overhead, name);
    if (name.startsWith('hugepages-')) left.memory = (left.memory ?? 0) - amount;
  }
  const isStartable = Object.values(left).every((amount) => amount >= 0);
  for (const name in left) left[name] = Math.max(0, left[name] ?? 0);
  return isStartable ? left : { ...left, pods: 0 };
}

function kubeReserved(
  facts: InstanceTypeFacts,
  settings: NodeSettings,
  capacity: Resources,
): Resources {
  // The node's bootstrap knows neither maxPods nor reserved interfaces when it computes its share.
  const pods =
    settings.family.reservesFor === 'network'
      ? networkPodLimit(facts, 0, settings.nodeClass.spec.networkInterfaces)
      : (capacity.pods ?? 0);
  return {
    cpu: kubeMillicores(facts.vcpus),
    memory: (KUBE_MIB_PER_POD * pods + KUBE_MIB_BASE) * MIB,
    'ephemeral-storage': KUBE_STORAGE_BYTES,
  };
}

function kubeMillicores(vcpus: number): number {
  let left = vcpus * 1000;
  let reserved = 0;
  for (const { millicores, share } of KUBE_CPU_SHARES) {
    const counted = Math.min(left, millicores);
    reserved += Math.trunc(counted * share);
    left -= counted;
  }
  return reserved;
}

function evictionThreshold(
  capacity: Resources,
  evictionHard: Readonly<Record<string, string>>,
): Resources {
  const storage = capacity['ephemeral-storage'] ?? 0;
  const memory = evictionHard['memory.available'];
  const disk = evictionHard['nodefs.available'] ?? `${EVICTION_STORAGE_PERCENT}%`;
  return {
    memory:
      memory === undefined
        ? EVICTION_MEMORY_BYTES
        : signalBytes('memory', memory, capacity.memory ?? 0),
    'ephemeral-storage': signalBytes('ephemeral-storage', disk, storage),
  };
}

/** 5% of the capacity, or 500Mi. 100% means that the threshold is off. */
function signalBytes(resource: string, signal: string, capacity: number): number {
  if (!signal.endsWith('%')) return parseAmount(resource, signal) ?? 0;
  const percent = Number(signal.slice(0, -1));
  return percent === 100 ? 0 : Math.ceil((capacity / 100) * percent);
}

const parsed = (quantities: Readonly<Record<string, string>>): Resources =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([name, quantity]) => {
      const amount = parseAmount(name, quantity);
      return amount === undefined ? [] : [[name, amount]];
    }),
  );
