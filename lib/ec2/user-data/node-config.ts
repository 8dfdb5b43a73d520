import { stringify } from 'yaml';
import {
  kubeletOf,
  maxPodsOf,
  type NodeIdentity,
  nodeLabelsFlag,
  registrationTaints,
} from './node-identity.ts';

/**
 * The NodeConfig by which nodeadm makes an AL2023 instance a node. Keys are sorted, so that one
 * claim always gives one text.
 *
 * Source: awslabs/amazon-eks-ami, nodeadm API node.eks.aws/v1alpha1; karpenter AWS provider
 * v1.14, providers/amifamily/bootstrap/nodeadm.go.
 */
export function nodeConfigOf(identity: NodeIdentity): string {
  const { nodeClass, settings } = identity;
  const isStriped = nodeClass.spec.instanceStorePolicy === 'RAID0';
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    metadata: {},
    spec: {
      cluster: {
        name: settings.clusterName,
        apiServerEndpoint: settings.clusterEndpoint,
        certificateAuthority: settings.clusterCa,
        cidr: settings.serviceCidr,
      },
      containerd: {},
      instance: { localStorage: isStriped ? { strategy: 'RAID0' } : {} },
      kubelet: { config: kubeletConfig(identity), flags: [nodeLabelsFlag(identity)] },
    },
  };
  // YAML 1.1 is what nodeadm reads: there a bare "on" is a boolean.
  const text = stringify(config, {
    version: '1.1',
    indentSeq: false,
    lineWidth: 0,
    sortMapEntries: true,
  });
  return `# Karpenter Generated NodeConfig\n${text}`;
}

/** The user's own kubelet settings as written, and over them what Joinery decides. */
function kubeletConfig(identity: NodeIdentity): object {
  const { kubeReserved: _, systemReserved: __, ...written } = { ...Object(wireKubelet(identity)) };
  const { clusterDNS, kubeReserved, systemReserved } = kubeletOf(identity);
  return {
    ...written,
    ...(clusterDNS === undefined ? {} : { clusterDNS }),
    ...(kubeReserved === undefined ? {} : { kubeReserved }),
    ...(systemReserved === undefined ? {} : { systemReserved }),
    maxPods: maxPodsOf(identity),
    registerWithTaints: registrationTaints(identity.claim).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value === '' ? {} : { value }),
    })),
  };
}

const wireKubelet = ({ nodeClass }: NodeIdentity): unknown => nodeClass.wire.kubelet;
