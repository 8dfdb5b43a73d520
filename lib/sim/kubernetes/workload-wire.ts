/** The JSON of workloads, budgets and storage, as far as the embedded cluster reads it. */
import type {
  KubeObject,
  NodeTerm,
  PodTemplate,
  Quantities,
  StringMap,
  WireCondition,
  WireSelector,
} from './wire.ts';

/** How a Deployment replaces its pods. */
interface DeploymentStrategy {
  readonly type?: 'RollingUpdate' | 'Recreate';
  readonly rollingUpdate?: {
    readonly maxSurge?: number | string;
    readonly maxUnavailable?: number | string;
  };
}

/** A Deployment as it is stored. */
export interface DeploymentObject extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: WireSelector;
    readonly template: PodTemplate;
    readonly strategy?: DeploymentStrategy;
    readonly paused?: boolean;
  };
  readonly status: { readonly conditions?: readonly WireCondition[] };
}

/** A ReplicaSet as it is stored. */
export interface ReplicaSetObject extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: WireSelector;
    readonly template: PodTemplate;
  };
  readonly status: { readonly readyReplicas?: number; readonly replicas?: number };
}

/** A StatefulSet as it is stored. */
export interface StatefulSetObject extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: WireSelector;
    readonly template: PodTemplate;
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly volumeClaimTemplates?: readonly {
      readonly metadata: { readonly name: string; readonly labels?: StringMap };
      readonly spec: unknown;
    }[];
  };
}

/** A Job as it is stored. */
export interface JobObject extends KubeObject {
  readonly spec: {
    readonly parallelism: number;
    readonly completions?: number;
    readonly backoffLimit: number;
    readonly suspend?: boolean;
    readonly selector?: WireSelector;
    readonly template: PodTemplate;
  };
  readonly status: { readonly conditions?: readonly WireCondition[] };
}

/** A DaemonSet as it is stored. */
export interface DaemonSetObject extends KubeObject {
  readonly spec: { readonly selector: WireSelector; readonly template: PodTemplate };
}

/** A PodDisruptionBudget as it is stored. */
export interface BudgetObject extends KubeObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: WireSelector;
    readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  readonly status: {
    readonly observedGeneration?: number;
    readonly disruptedPods?: StringMap;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    readonly conditions?: readonly WireCondition[];
  };
}

/** A PriorityClass as it is stored. */
export interface PriorityClassObject extends KubeObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never';
}

/** A PersistentVolumeClaim as it is stored. */
export interface ClaimObject extends KubeObject {
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Quantities };
  };
  readonly status: { readonly phase?: string };
}

/** A PersistentVolume as it is stored. */
export interface VolumeObject extends KubeObject {
  readonly spec: {
    readonly nodeAffinity?: {
      readonly required?: { readonly nodeSelectorTerms: readonly NodeTerm[] };
    };
  };
}

/** A StorageClass as it is stored. */
export interface StorageClassObject extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly {
      readonly key: string;
      readonly values: readonly string[];
    }[];
  }[];
}
