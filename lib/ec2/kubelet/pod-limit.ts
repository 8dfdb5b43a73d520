import type { NodeSettings } from '#lib/ec2/catalog/node-settings.ts';
import type { InstanceTypeFacts } from '#lib/ec2/catalog/table.ts';
import type { NetworkInterface } from '#lib/model/node-class.ts';

/** What kubelet takes where interfaces set no limit. Source: kubernetes v1.36, kubelet defaults. */
const KUBELET_DEFAULT = 110;
/** Pods on the host's network, which take no address: kube-proxy and the network plugin. */
const HOST_NETWORK_PODS = 2;

/**
 * How many pods the interfaces of a type have addresses for, `kept` of them serving something
 * else. Only the default network card counts, less what a NodeClass makes EFA-only on card 0.
 *
 * Example: m5.large has 3 interfaces of 10 addresses, so 3 × 9 + 2 = 29.
 * Source: karpenter AWS provider v1.14, providers/instancetype/types.go, ENILimitedPods.
 */
export function networkPodLimit(
  facts: InstanceTypeFacts,
  kept: number,
  own: readonly NetworkInterface[] = [],
): number {
  const withoutAddresses = own.filter(
    ({ networkCardIndex, interfaceType }) => networkCardIndex === 0 && interfaceType === 'efa-only',
  ).length;
  const interfaces = (facts.cardInterfaces[facts.defaultCard] ?? 0) - kept - withoutAddresses;
  if (interfaces <= 0) return 0;
  return interfaces * (facts.ipv4PerInterface - 1) + HOST_NETWORK_PODS;
}

/**
 * How many pods a type takes where no maxPods says otherwise: what its interfaces allow, or what
 * kubelet does where they do not matter.
 */
export const defaultPodLimit = (
  facts: InstanceTypeFacts,
  { family, reservedInterfaces, nodeClass }: NodeSettings,
): number =>
  family.interfacesLimitPods
    ? networkPodLimit(facts, reservedInterfaces, nodeClass.spec.networkInterfaces)
    : KUBELET_DEFAULT;

/** `limit`, and never more than podsPerCore allows, where the family heeds it and it is not 0. */
export function perCoreLimit(
  facts: InstanceTypeFacts,
  { family, nodeClass }: NodeSettings,
  limit: number,
): number {
  const perCore = family.podsPerCoreCounts ? (nodeClass.spec.kubelet?.podsPerCore ?? 0) : 0;
  return perCore > 0 ? Math.min(limit, perCore * facts.vcpus) : limit;
}
