import type { KubeletSettings } from '#lib/model/node-class.ts';
import type { AmiFamily } from './ami-family.ts';
import type { InstanceTypeFacts } from './table.ts';

/** What kubelet takes where interfaces set no limit. Source: kubernetes v1.36, kubelet defaults. */
const KUBELET_DEFAULT = 110;
/** Pods on the host's network, which take no address: kube-proxy and the network plugin. */
const HOST_NETWORK_PODS = 2;

/**
 * How many pods the interfaces of a type have addresses for, `reservedInterfaces` of them kept for
 * something else. Only the default network card counts.
 *
 * Example: m5.large has 3 interfaces of 10 addresses, so 3 × 9 + 2 = 29.
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, ENILimitedPods.
 */
export function networkPodLimit(facts: InstanceTypeFacts, reservedInterfaces: number): number {
  const interfaces = (facts.cardInterfaces[facts.defaultCard] ?? 0) - reservedInterfaces;
  if (interfaces <= 0) return 0;
  return interfaces * (facts.ipv4PerInterface - 1) + HOST_NETWORK_PODS;
}

/**
 * How many pods kubelet will take on a type: maxPods, else what the interfaces allow, and never
 * more than podsPerCore allows.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, pods.
 */
export function podLimit(
  facts: InstanceTypeFacts,
  family: AmiFamily,
  kubelet: KubeletSettings,
  reservedInterfaces: number,
): number {
  const byNetwork = family.interfacesLimitPods
    ? networkPodLimit(facts, reservedInterfaces)
    : KUBELET_DEFAULT;
  const limit = kubelet.maxPods ?? byNetwork;
  const perCore = family.podsPerCoreCounts ? (kubelet.podsPerCore ?? 0) : 0;
  return perCore > 0 ? Math.min(limit, perCore * facts.vcpus) : limit;
}
