/**
 * The names under which figures reach CloudWatch. Those that Karpenter has bear its names, without
 * its prefix; alarms and dashboards are made from these.
 *
 * Source: karpenter v1.14, metrics; CloudWatch, embedded metric format.
 */
export const METRIC_NAMESPACE = 'Joinery';

/** The one dimension that every metric has: the name of the cluster. */
export const CLUSTER_DIMENSION = 'cluster';
/** The second dimension of some: why. At most two dozen values, most of them never seen. */
export const REASON_DIMENSION = 'reason';
/** The second dimension of one: which of EC2's checks. Three values. */
export const CATEGORY_DIMENSION = 'category';
/** The second dimension of a few: which function. Five values. */
export const FUNCTION_DIMENSION = 'function';

/** Each metric: its name and unit. Gauges are told by provision at each look, counts when they happen. */
export const METRICS = {
  /** Gauge: Nodes and NodeClaims on their way. */
  nodes: { name: 'cluster_state_node_count', unit: 'Count' },
  /** Gauge: what all of them cost, in USD per hour. */
  usdPerHour: { name: 'nodepools_cost_total', unit: 'None' },
  /** Gauge: pods without a node that wait for one. */
  pendingPods: { name: 'pods_pending', unit: 'Count' },
  /** Gauge: pods that no node can be given to. */
  refusedPods: { name: 'scheduler_unschedulable_pods_count', unit: 'Count' },
  /** Count. */
  created: { name: 'nodeclaims_created_total', unit: 'Count' },
  /** Count: NodeClaims whose finalizer went. */
  terminated: { name: 'nodeclaims_terminated_total', unit: 'Count' },
  /** Count, also by reason. */
  disrupted: { name: 'nodeclaims_disrupted_total', unit: 'Count' },
  /** Count. */
  podsEvicted: { name: 'pods_drained_total', unit: 'Count' },
  /** Count: launches that EC2 refused, or gave less to than was asked. */
  launchFailures: { name: 'cloudprovider_errors_total', unit: 'Count' },
  /** Count, by category: instances of ours that EC2's checks find ailing, once until they are well. */
  unhealthyInstances: { name: 'interruption_instance_status_unhealthy_total', unit: 'Count' },
  /** Count, by function: one for each look that was taken. */
  looks: { name: 'looks_total', unit: 'Count' },
  /** How long a turn took, by function. */
  turnDuration: { name: 'turn_duration_milliseconds', unit: 'Milliseconds' },
  /** How long deciding took: Karpenter's scheduling duration. */
  decisionDuration: { name: 'scheduler_scheduling_duration_milliseconds', unit: 'Milliseconds' },
} as const;
