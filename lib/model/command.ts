/** Why nodes go. */
type DisruptionReason =
  | 'Empty'
  | 'Underutilized'
  | 'Drifted'
  | 'Expired'
  | 'Interrupted'
  /** A static NodePool wants fewer nodes. */
  | 'ScaledDown';

/** Why nodes go by a command that is written down first and carried out in steps. */
export type CommandReason = Extract<
  DisruptionReason,
  'Empty' | 'Underutilized' | 'Drifted' | 'Expired'
>;

/** Remove these nodes once these NodeClaims are ready, for this reason. Names, sorted. */
export interface Command {
  readonly reason: DisruptionReason;
  readonly remove: readonly string[];
  readonly replaceWith: readonly string[];
  readonly podsMoved: number;
  readonly savesUsdPerHour: number;
}
