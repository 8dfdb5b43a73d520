import type { FeatureGate } from './feature-gates.ts';
import type { TopologySpreadConstraint } from './pod.ts';

/** How pods are led to the nodes that were made for them. */
export type PlacementMode = 'nominate' | 'bind' | 'none';

/** What a decision must know of the cluster that no object of it says. */
export interface ClusterSettings {
  readonly clusterName: string;
  readonly region: string;
  /** https://… of the API server, for the user data of nodes. */
  readonly clusterEndpoint: string;
  /** Base64 PEM. */
  readonly clusterCa: string;
  /** The service network, e.g. 10.100.0.0/16. */
  readonly serviceCidr: string;
  /** 1.33; picks images. */
  readonly kubernetesVersion: string;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** The share of memory that the hypervisor keeps, e.g. 0.075. */
  readonly vmMemoryOverheadPercent: number;
  /** Interfaces of each instance that are kept from pods; none where absent. */
  readonly reservedInterfaces?: number;
  /** Whether kubelet settings may be expressions over the instance type; they may not where absent. */
  readonly kubeletExpressions?: boolean;
  /** Whether only what lies in the VPC can be reached: no price list, no IAM; it can where absent. */
  readonly isolatedVpc?: boolean;
  /** The cluster's ARN, where ARC may shift traffic away from a zone of it; not asked where absent. */
  readonly zonalShiftArn?: string;
  /** Whether EC2 is asked each minute how instances are; not where absent. */
  readonly asksInstanceStatus?: boolean;
  /** The address of the cluster's DNS service, for the user data of nodes. */
  readonly clusterDnsIp?: string;
  /** Whether instances are tagged with the names of their Node and NodeClaim; not where absent. */
  readonly tagsNodes?: boolean;
  /** Behaviours that the cluster asked for; none where absent. */
  readonly featureGates?: readonly FeatureGate[];
  /**
   * How pods are led to the nodes that were made for them: named to kube-scheduler, bound where that
   * is safe, or not at all. nominate where absent.
   */
  readonly placement?: PlacementMode;
  /** What all nodes of all NodePools together may cost; no limit where absent. */
  readonly limitUsdPerHour?: number;
  /** When nodes of NodePools that do not say so themselves may be disrupted; always where absent. */
  readonly disruptionWindows?: string;
  /**
   * What consolidation must save for each pod that it moves, as a share of what the cluster's pods
   * cost on average at fair prices, e.g. 0.1; a share of our own choice where absent.
   */
  readonly consolidationMoveShare?: number;
  /** The spread of pods that ask for none, as kube-scheduler is configured; selectors are deduced. */
  readonly defaultSpread?: readonly TopologySpreadConstraint[];
}

/** Whether the cluster asked for a behaviour. */
export const isOpen = ({ featureGates }: ClusterSettings, gate: FeatureGate): boolean =>
  featureGates?.includes(gate) ?? false;
