import { stringify } from 'yaml';
import { compareText } from '#lib/constraints/order.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import {
  CAPACITY_TYPE,
  DO_NOT_SYNC_TAINTS,
  LAUNCH_ATTEMPT,
  LAUNCH_FAILED_AT,
  LAUNCH_GROUP,
  UNREGISTERED,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** What a node must be told to join its cluster as the node that a claim describes. */
export interface NodeIdentity {
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly capacityType: string;
  readonly maxPods: number;
  readonly settings: ClusterSettings;
}

/** Domains whose labels a kubelet may not give itself. Source: kubernetes v1.36, NodeRestriction. */
const FORBIDDEN_DOMAINS = ['kubernetes.io', 'k8s.io'];
const BOOKKEEPING: ReadonlySet<string> = new Set([LAUNCH_GROUP, LAUNCH_ATTEMPT, LAUNCH_FAILED_AT]);

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

/** The user's own kubelet settings, and over them what Joinery decides. */
function kubeletConfig({ claim, nodeClass, maxPods, settings }: NodeIdentity): object {
  const written = nodeClass.wire.kubelet;
  const clusterDNS =
    nodeClass.spec.kubelet?.clusterDNS ??
    (settings.clusterDnsIp === undefined ? undefined : [settings.clusterDnsIp]);
  return {
    ...(typeof written === 'object' ? written : {}),
    ...(clusterDNS === undefined ? {} : { clusterDNS }),
    maxPods,
    registerWithTaints: registrationTaints(claim).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value === '' ? {} : { value }),
    })),
  };
}

/**
 * The taints that a node registers with: the claim's, those of start-up, and the one that keeps
 * pods off until it has been seen.
 */
function registrationTaints({ spec }: NodeClaim): readonly Taint[] {
  const taints = [...spec.taints, ...spec.startupTaints];
  const unregistered: Taint = { key: UNREGISTERED, value: '', effect: 'NoExecute' };
  return taints.some(({ key }) => key === UNREGISTERED) ? taints : [...taints, unregistered];
}

function nodeLabelsFlag({ claim, capacityType }: NodeIdentity): string {
  const labels: Record<string, string> = {
    ...claim.meta.labels,
    [CAPACITY_TYPE]: capacityType,
    [DO_NOT_SYNC_TAINTS]: 'true',
  };
  const allowed = Object.entries(labels)
    .filter(([key]) => !BOOKKEEPING.has(key) && !isForbidden(key))
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => `${key}=${value}`);
  return `--node-labels="${allowed.join(',')}"`;
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash === -1 ? '' : key.slice(0, slash);
  return FORBIDDEN_DOMAINS.some((name) => domain === name || domain.endsWith(`.${name}`));
}
