/**
 * The JSON of Kubernetes objects, as far as the embedded cluster reads it. Unknown fields are
 * kept, not described. Objects of the store are frozen: to change one is to write another.
 */

/** A string-to-string map: labels, annotations, selectors, ConfigMap data. */
export type StringMap = Readonly<Record<string, string>>;

/** An ownerReference. */
interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What every stored object carries. Cluster-scoped objects have no namespace. */
export interface Metadata {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  /** Of nominations only. */
  readonly managedFields?: readonly unknown[];
}

/** Any object of the store. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** A status condition. */
export interface WireCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
  readonly observedGeneration?: number;
}

/** A taint of a Node, as written; an absent value is ''. */
export interface WireTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly timeAdded?: string;
}

/** A toleration of a pod, as written. */
export interface WireToleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}

/** A label selector, as written. */
export interface WireSelector {
  readonly matchLabels?: StringMap;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** One expression of a node selector term. */
export interface NodeExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values?: readonly string[];
}

/** One term of node affinity: all its expressions must hold. */
export interface NodeTerm {
  readonly matchExpressions?: readonly NodeExpression[];
  readonly matchFields?: readonly NodeExpression[];
}

/** One term of pod affinity or anti-affinity. */
export interface PodTerm {
  readonly topologyKey: string;
  readonly labelSelector?: WireSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: WireSelector;
}

/** Required and preferred terms of pod affinity or anti-affinity. */
interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: PodTerm;
  }[];
}

/** Where a pod wants to stand. */
interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeTerm[];
    };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeTerm;
    }[];
  };
  readonly podAffinity?: PodTerms;
  readonly podAntiAffinity?: PodTerms;
}

/** A topology spread constraint of a pod. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly labelSelector?: WireSelector;
  readonly minDomains?: number;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore';
}

/** Amounts by resource name, as written. */
export type Quantities = Readonly<Record<string, string | number>>;

/** A container, as far as placement and starting it go. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly ports?: readonly {
    readonly containerPort?: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  }[];
  readonly readinessProbe?: { readonly initialDelaySeconds?: number };
}

/** A volume of a pod, as far as it names a claim. */
interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: { readonly volumeClaimTemplate?: { readonly spec?: unknown } };
}

/** What a pod asks for. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: Quantities;
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly nodeName?: string;
  readonly schedulerName?: string;
  readonly nodeSelector?: StringMap;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly WireToleration[];
  readonly topologySpreadConstraints?: readonly SpreadConstraint[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly hostNetwork?: boolean;
  readonly volumes?: readonly Volume[];
  readonly schedulingGates?: readonly { readonly name: string }[];
}

/** What became of a pod. */
export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly conditions?: readonly WireCondition[];
  readonly nominatedNodeName?: string;
  readonly startTime?: string;
  readonly podIP?: string;
  readonly hostIP?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A Pod as it is stored, as far as the embedded cluster reads it. */
export interface PodObject extends KubeObject {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** A Node as it is stored, as far as the embedded cluster reads it. */
export interface NodeObject extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly WireTaint[];
  };
  readonly status: {
    readonly capacity?: Quantities;
    readonly allocatable?: Quantities;
    readonly conditions?: readonly WireCondition[];
  };
}

/** What a workload stamps its pods from. */
export interface PodTemplate {
  readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap };
  readonly spec: PodSpec;
}
