import type { CommandReason } from '#lib/model/command.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import type { Candidate } from './candidates.ts';

/** A command that was worked out on one Snapshot, before anything of it is written. */
export interface DraftCommand {
  readonly reason: CommandReason;
  /** The nodes that go, sorted by name. */
  readonly members: readonly Candidate[];
  /** The nodes that have to be there first; they have no names yet. */
  readonly replacements: readonly SealedClaim[];
  /** Where the members' pods go that find room on nodes which are there; hosts by name. */
  readonly placements: readonly { readonly pod: Pod; readonly host: string }[];
  readonly podsMoved: number;
  readonly savesUsdPerHour: number;
  /** What the saving is made of; absent where price is not the reason. */
  readonly certificate?: {
    readonly removedUsdPerHour: number;
    /** The dearest that the launches of all replacements may come to; 0 without. */
    readonly worstUsdPerHour: number;
  };
  /** By each NodePool that has a say in it, sorted by name; absent where none was asked. */
  readonly approvals?: readonly Approval[];
}

/** Why a NodePool with the policy Balanced finds a command worth its disruption. */
export interface Approval {
  readonly pool: NodePool;
  /** Upstream's sentence for its event. */
  readonly because: string;
}
