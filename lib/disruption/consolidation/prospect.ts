import { compareText } from '#lib/constraints/order.ts';
import type { Axes } from '#lib/solver/amounts.ts';
import type { Blocked, Candidate } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import type { Source } from './eligible.ts';
import type { FairPrices } from './fair-price.ts';
import type { Hurdle } from './hurdle.ts';
import type { Mover } from './movers.ts';
import type { Rooms } from './rooms.ts';

/** A node that may go, as the search sees it. */
export interface Prospect {
  readonly source: Source;
  /** Largest first. */
  readonly movers: readonly Mover[];
  /** What its pods would cost at fair prices, USD per hour. */
  readonly worth: number;
  /** It is to be renewed anyway: drifted, about to expire, or not ready. */
  readonly isDue: boolean;
}

/** See SearchProblem. */
export type Certify = (
  set: readonly Source[],
  expected: ReadonlyMap<string, string>,
  avoided: ReadonlySet<string>,
) => DraftCommand | Blocked;

/** What the search works with. */
export interface SearchProblem {
  /** Sorted by byWaste. */
  readonly prospects: readonly Prospect[];
  readonly rooms: Rooms;
  readonly prices: FairPrices;
  readonly hurdle: Hurdle;
  /** What keeps these nodes from going together, beside what was committed. */
  readonly objection: (candidates: readonly Candidate[]) => Blocked | undefined;
  /**
   * The command that removes the set, pods tried first where `expected` says, and on none of the
   * nodes in `avoided` unless nothing comes of it otherwise.
   */
  readonly certify: Certify;
  /** Hears of each command that is to be carried out. */
  readonly commit: (command: DraftCommand) => void;
  readonly spotToSpot: boolean;
  /** How many nodes may go in this pass. */
  readonly mostNodes: number;
  /** How many nodes one command may take. */
  readonly mostTogether: number;
  readonly axes: Axes;
  /** How many sets the solver may be asked about, and how many commands there may be. */
  readonly mostCertified: number;
  readonly mostCommands: number;
}

/** What a node costs beyond what its pods are worth, for each pod that would move. */
export const wasteOf = ({ source, worth, movers }: Prospect): number =>
  (source.usdPerHour - worth) / (1 + movers.length);

/** Nodes that are due first, then those that waste most. */
export const byWaste = (a: Prospect, b: Prospect): number =>
  Number(b.isDue) - Number(a.isDue) ||
  wasteOf(b) - wasteOf(a) ||
  compareText(a.source.name, b.source.name);

/** A set of nodes that looks worth removing. */
export interface Proposal {
  readonly set: readonly Prospect[];
  /** What is saved beyond the worth of the room that is used, for each move. */
  readonly merit: number;
  readonly isDue: boolean;
}

/** The pods first that are worth most at fair prices, then by uid. */
export const dearestFirst =
  ({ worth }: FairPrices) =>
  (a: Mover, b: Mover): number =>
    worth(b.kind.amounts) - worth(a.kind.amounts) || compareText(a.pod.meta.uid, b.pod.meta.uid);

/** The pods first that ask most of the first resource in which they differ, then by uid. */
export const largestFirst = (a: Mover, b: Mover): number => {
  for (const [axis, amount] of a.kind.amounts.entries()) {
    const difference = (b.kind.amounts[axis] ?? 0) - amount;
    if (difference !== 0) return difference;
  }
  return compareText(a.pod.meta.uid, b.pod.meta.uid);
};
