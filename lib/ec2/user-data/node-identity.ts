import { compareText } from '#lib/constraints/order.ts';
import { parseAmount } from '#lib/constraints/quantity.ts';
import type { Taint } from '#lib/constraints/taints.ts';
import type { KubeletReserves } from '#lib/model/instance-type.ts';
import {
  CAPACITY_TYPE,
  DO_NOT_SYNC_TAINTS,
  LAUNCH_ATTEMPT,
  LAUNCH_FAILED_AT,
  LAUNCH_GROUP,
  UNREGISTERED,
} from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { KubeletSettings, NodeClass } from '#lib/model/node-class.ts';
import type { ClusterSettings } from '#lib/model/settings.ts';

/** What a node must be told to join its cluster as the node that a claim describes. */
export interface NodeIdentity {
  readonly claim: NodeClaim;
  readonly nodeClass: NodeClass;
  readonly capacityType: string;
  /** What the solver counted with. */
  readonly maxPods: number;
  /** What the NodeClass's expressions came to for the type; absent where it has none. */
  readonly reserves?: KubeletReserves;
  readonly settings: ClusterSettings;
}

/** Domains whose labels a kubelet may not give itself. Source: kubernetes v1.36, NodeRestriction. */
const FORBIDDEN_DOMAINS = ['kubernetes.io', 'k8s.io'];
const BOOKKEEPING: ReadonlySet<string> = new Set([LAUNCH_GROUP, LAUNCH_ATTEMPT, LAUNCH_FAILED_AT]);

/**
 * The taints that a node registers with: the claim's, those of start-up, and the one that keeps
 * pods off until it has been seen.
 */
export function registrationTaints({ spec }: NodeClaim): readonly Taint[] {
  const taints = [...spec.taints, ...spec.startupTaints];
  const unregistered: Taint = { key: UNREGISTERED, value: '', effect: 'NoExecute' };
  return taints.some(({ key }) => key === UNREGISTERED) ? taints : [...taints, unregistered];
}

/** The labels that kubelet gives its node, sorted by key: those that it may, and none of ours. */
export function registrationLabels({
  claim,
  capacityType,
}: Pick<NodeIdentity, 'claim' | 'capacityType'>): readonly (readonly [string, string])[] {
  const labels: Readonly<Record<string, string>> = {
    ...claim.meta.labels,
    [CAPACITY_TYPE]: capacityType,
    [DO_NOT_SYNC_TAINTS]: 'true',
  };
  return Object.entries(labels)
    .filter(([key]) => !BOOKKEEPING.has(key) && !isForbidden(key))
    .sort(([a], [b]) => compareText(a, b));
}

/** `--node-labels` as every family but Bottlerocket takes it. */
export function nodeLabelsFlag(identity: Pick<NodeIdentity, 'claim' | 'capacityType'>): string {
  const labels = registrationLabels(identity).map(([key, value]) => `${key}=${value}`);
  return `--node-labels="${labels.join(',')}"`;
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash === -1 ? '' : key.slice(0, slash);
  return FORBIDDEN_DOMAINS.some((name) => domain === name || domain.endsWith(`.${name}`));
}

/**
 * The NodeClass's kubelet settings as this node is told them: the cluster's DNS where it names
 * none, and numbers in place of expressions. An expression that came to nothing is left out.
 */
export function kubeletOf({ nodeClass, reserves, settings }: NodeIdentity): KubeletSettings {
  const { kubeReserved, systemReserved, ...kubelet } = nodeClass.spec.kubelet ?? {};
  const { clusterDnsIp } = settings;
  return {
    ...(clusterDnsIp === undefined ? {} : { clusterDNS: [clusterDnsIp] }),
    ...kubelet,
    ...named('kubeReserved', reserves?.kubeReserved ?? quantitiesOf(kubeReserved)),
    ...named('systemReserved', reserves?.systemReserved ?? quantitiesOf(systemReserved)),
  };
}

/** The limit that kubelet is told; podsPerCore is its own to apply to a limit that is written. */
export const maxPodsOf = ({ nodeClass, maxPods }: NodeIdentity): number =>
  nodeClass.spec.kubelet?.maxPods ?? maxPods;

const named = (
  name: 'kubeReserved' | 'systemReserved',
  reserved: Readonly<Record<string, string>>,
): KubeletSettings => (Object.keys(reserved).length === 0 ? {} : { [name]: reserved });

/** Only what is a quantity of its resource: what is left is an expression. */
function quantitiesOf(
  reserved: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const entries = Object.entries(reserved);
  return Object.fromEntries(
    entries.filter(([name, quantity]) => parseAmount(name, quantity) !== undefined),
  );
}
