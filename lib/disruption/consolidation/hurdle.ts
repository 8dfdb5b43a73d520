/** What a command must save for certain, so that it is worth the trouble. */
export interface Hurdle {
  /** USD per hour, for so many pods moved and nodes removed. */
  readonly of: (podsMoved: number, nodes: number) => number;
  readonly usdPerHourPerMove: number;
}

/** Less is not worth a disruption, whatever moves: a tenth of a cent an hour for each node. */
const LEAST_USD_PER_HOUR = 0.001;

/**
 * A hurdle at which each pod that moves, and each node that goes, must bring `moveShare` of what the
 * cluster's pods are worth on average. A node that goes counts as one more pod: its DaemonSets start
 * anew.
 *
 * Example: pods worth $0.04/h on average at a share of 0.1: five pods must save 2.4 cents an hour.
 */
export function hurdleOf(moveShare: number, meanPodUsdPerHour: number): Hurdle {
  const usdPerHourPerMove = moveShare * meanPodUsdPerHour;
  return {
    usdPerHourPerMove,
    of: (podsMoved, nodes) =>
      Math.max(LEAST_USD_PER_HOUR * nodes, usdPerHourPerMove * (podsMoved + nodes)),
  };
}
