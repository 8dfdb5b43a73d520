/** Why nodes go. */
export type DisruptionReason =
  | 'Empty'
  | 'Underutilized'
  | 'Drifted'
  | 'Expired'
  | 'Interrupted'
  /** A static NodePool wants fewer nodes. */
  | 'ScaledDown';

/** Remove these nodes once these NodeClaims are ready, for this reason. Names, sorted. */
export interface Command {
  readonly reason: DisruptionReason;
  readonly remove: readonly string[];
  readonly replaceWith: readonly string[];
  readonly podsMoved: number;
  readonly savesUsdPerHour: number;
}
