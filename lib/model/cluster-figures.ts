/** What a cluster comes to at one look. */
export interface ClusterFigures {
  /** Nodes that are there or on their way and not on their way out. */
  readonly nodes: number;
  /** What they cost, as far as their prices are known. */
  readonly usdPerHour: number;
  /** Pods without a node that wait for one. */
  readonly pendingPods: number;
}
