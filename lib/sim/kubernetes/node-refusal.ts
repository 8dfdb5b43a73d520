/** A filter that may refuse a node. */
export type Plugin =
  | 'NodeUnschedulable'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeBinding'
  | 'PodTopologySpread'
  | 'InterPodAffinity';

/** Why a node does not take a pod. */
export interface NodeRefusal {
  readonly plugin: Plugin;
  /** As counted in the pod's condition: "Insufficient cpu". Several only for resources. */
  readonly reasons: readonly string[];
  /** Fewer pods on the node would help. */
  readonly isResolvable: boolean;
}
