/** What Karpenter took for the benchmark that `diverseCluster` is like. */
export interface KarpenterFigures {
  readonly nodes: number;
  readonly usdPerHour: number;
  /** Of its solve alone: the least and the most that was seen in several runs. */
  readonly cpuSeconds: readonly [number, number];
}

/**
 * By kind and size of bench cluster.
 *
 * Source: karpenter v1.14.0-20-g226646810, its own scheduling benchmark's pods and types, run in
 * process on a machine of the same two cores on which these benches were made; processor time of
 * the solve, three runs, one of 20,000 pods. With 4,000 preferring pods it makes 4,000 nodes for
 * $3,777 in 150 s as it comes; the figures here are those with preferences ignored.
 */
export const KARPENTER_FIGURES: ReadonlyMap<string, KarpenterFigures> = new Map([
  ['diverse 100', { nodes: 20, usdPerHour: 31.5, cpuSeconds: [0.13, 0.16] }],
  ['diverse 1000', { nodes: 200, usdPerHour: 345, cpuSeconds: [1.0, 1.8] }],
  ['diverse 5000', { nodes: 1000, usdPerHour: 1767, cpuSeconds: [10, 15] }],
  ['diverse 20000', { nodes: 4000, usdPerHour: 7201, cpuSeconds: [106, 113] }],
  ['preferring 4000', { nodes: 21, usdPerHour: 2525, cpuSeconds: [1.5, 1.9] }],
]);

/** Processor milliseconds that the same took for each cost family, one run. */
export const KARPENTER_FAMILY_MILLIS: ReadonlyMap<string, number> = new Map([
  ['cost-constrained-amd64od32-1000-7006', 3326],
  ['cost-constrained-any32-100-7005', 193],
  ['cost-gpus-any32-1000-7007', 3287],
  ['cost-heavy-any32-1000-7004', 2518],
  ['cost-homogeneous-any-1000-7012', 739],
  ['cost-homogeneous-any32-100-7001', 99],
  ['cost-mixed-amd64od32-100-7002', 22],
  ['cost-mixed-any-1000-7003', 377],
  ['cost-restricted-any-1000-7009', 947],
  ['cost-restricted-any32-100-7008', 49],
  ['cost-unique-amd64od32-1000-7011', 2251],
  ['cost-unique-any32-100-7010', 88],
]);
