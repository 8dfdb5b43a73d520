import type { HostPort } from '#lib/constraints/host-ports.ts';
import type { LabelSelector, Labels } from '#lib/constraints/label-selector.ts';
import type { RequirementSpec } from '#lib/constraints/requirement.ts';
import type { Resources } from '#lib/constraints/resources.ts';
import type { Toleration } from '#lib/constraints/taints.ts';
import type { ObjectMeta } from './object.ts';
import type { EpochMs } from './time.ts';

/** One term of node affinity: all its expressions must hold. One that asks nothing holds nowhere. */
export interface NodeSelectorTerm {
  readonly matchExpressions: readonly RequirementSpec[];
  /** The term also selects on node fields, which Joinery refuses (scheduling rule V-2). */
  readonly hasMatchFields: boolean;
}

/** A term that is wanted rather than required. Weights are 1 to 100. */
export interface Weighted<Term> {
  readonly weight: number;
  readonly term: Term;
}

/** Pods near which, or away from which, a pod wants to stand. */
export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly selector?: LabelSelector;
  readonly namespaces: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

/** Required and preferred halves of a pod affinity or anti-affinity. */
export interface PodAffinity {
  readonly required: readonly PodAffinityTerm[];
  readonly preferred: readonly Weighted<PodAffinityTerm>[];
}

/** How evenly pods like this one must stand over the domains of a key. */
export interface TopologySpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly selector?: LabelSelector;
  readonly minDomains?: number;
  readonly matchLabelKeys: readonly string[];
  readonly nodeAffinityPolicy: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy: 'Honor' | 'Ignore';
}

/** A volume that a pod takes through a PersistentVolumeClaim, its own ephemeral one included. */
export interface PodVolume {
  readonly volume: string;
  readonly claimName: string;
  /** For an ephemeral volume: the class its claim will ask for; '' asks for none. */
  readonly ephemeral?: { readonly storageClassName?: string };
}

type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

/** A pod, reduced to what placement, eviction and explanation depend on. */
export interface Pod {
  readonly meta: ObjectMeta & { readonly namespace: string };
  /** The effective request, `pods: 1` included. Source: kubernetes, resource/helpers, PodRequests. */
  readonly requests: Resources;
  readonly nodeSelector: Labels;
  readonly nodeAffinity: {
    /** Alternatives: one of them must hold. Empty: no demand. */
    readonly required: readonly NodeSelectorTerm[];
    readonly preferred: readonly Weighted<NodeSelectorTerm>[];
  };
  readonly podAffinity: PodAffinity;
  readonly podAntiAffinity: PodAffinity;
  readonly topologySpread: readonly TopologySpreadConstraint[];
  readonly tolerations: readonly Toleration[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly PodVolume[];
  /** Dynamic resource claims by name; any makes the pod one that Joinery refuses. */
  readonly resourceClaims: readonly string[];
  readonly schedulerName: string;
  readonly priority: number;
  readonly priorityClassName: string;
  readonly preemptionPolicy: 'PreemptLowerPriority' | 'Never';
  /** Seconds between the ask to stop and the kill. */
  readonly graceSeconds: number;
  readonly nodeName?: string;
  readonly nominatedNodeName?: string;
  /** That Joinery wrote the nomination: a wish, where the scheduler's own is a promise. */
  readonly isNominatedByUs?: true;
  readonly phase: PodPhase;
  readonly startedAt?: EpochMs;
  /** The PodScheduled condition, if the scheduler has written one. */
  readonly scheduled?: { readonly status: 'True' | 'False' | 'Unknown'; readonly reason: string };
  /** The Ready condition's status; absent where none was written. */
  readonly ready?: 'True' | 'False' | 'Unknown';
}
