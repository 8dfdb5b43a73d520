import { compareText } from '#lib/constraints/order.ts';
import type { Axes } from '#lib/solver/amounts.ts';
import type { Blocked, Candidate } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import type { Source } from './eligible.ts';
import type { FairPrices } from './fair-price.ts';
import type { Hurdle } from './hurdle.ts';
import { bestMerge } from './merge.ts';
import type { Fit, Mover, Rooms } from './rooms.ts';

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

/** What the search works with. */
export interface SearchProblem {
  /** Sorted by byWaste. */
  readonly prospects: readonly Prospect[];
  readonly rooms: Rooms;
  readonly prices: FairPrices;
  readonly hurdle: Hurdle;
  /** What keeps these nodes from going together, beside what was committed. */
  readonly objection: (candidates: readonly Candidate[]) => Blocked | undefined;
  /** The command that removes the set, pods tried first where `expected` says. */
  readonly certify: (
    set: readonly Source[],
    expected: ReadonlyMap<string, string>,
  ) => DraftCommand | Blocked;
  /** Hears of each command that is to be carried out. */
  readonly commit: (command: DraftCommand) => void;
  readonly spotToSpot: boolean;
  readonly axes: Axes;
  /** How many sets the solver may be asked about, and how many commands there may be. */
  readonly mostCertified: number;
  readonly mostCommands: number;
}

/** The commands, and why each of the other nodes stays, by name. */
export interface Found {
  readonly commands: readonly DraftCommand[];
  readonly why: ReadonlyMap<string, Blocked>;
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

const UNTRIED: Blocked = {
  by: 'work',
  because: 'there was no time to look at it in this pass: nodes that waste more came first',
};

/**
 * Looks for sets of nodes whose removal saves most for each pod that moves, and commits one after
 * the other, each confirmed by the solver beside all before it. Nodes that pods move to are not
 * removed in the same pass.
 *
 * Deletions are tried in the order of waste: room only shrinks, so one that does not fit will not
 * fit later. Where pods do not fit, sets of up to 8 nodes are grown that new nodes replace. What is
 * left in the end is asked about one by one, for the reasons.
 */
export function search(problem: SearchProblem): Found {
  const state = openSearch(problem);
  for (;;) {
    if (state.isSpent()) break;
    const deletion = state.nextDeletion();
    const merge = bestMerge(state.mergeable(), problem);
    const better = !deletion || (merge && isBetter(merge, deletion)) ? merge : deletion;
    if (!better) break;
    state.attempt(better.set, better === deletion ? 'deletion' : 'merge');
  }
  for (const prospect of problem.prospects) {
    if (state.isSpent()) break;
    if (state.isUnexplained(prospect)) state.attempt([prospect], 'last');
  }
  return { commands: state.commands, why: state.why() };
}

const isBetter = (a: Proposal, b: Proposal): boolean =>
  a.isDue === b.isDue ? a.merit > b.merit : a.isDue;

/** Sets that failed are not tried again; a node that failed in so many of them is left alone. */
const MOST_FAILURES = 3;

type Attempted = 'deletion' | 'merge' | 'last';

function openSearch(problem: SearchProblem) {
  const { prospects, rooms } = problem;
  const why = new Map<string, Blocked>();
  const commands: DraftCommand[] = [];
  const open = new Set(prospects);
  const undeletable = new Set<Prospect>();
  const failures = new Map<Prospect, number>();
  const tabu = new Set<string>();
  let certified = 0;
  const close = (name: string, because: Blocked): void => {
    const prospect = prospects.find(({ source }) => source.name === name);
    if (!prospect || !open.delete(prospect)) return;
    why.set(name, because);
  };
  const commit = (command: DraftCommand, set: readonly Prospect[]): void => {
    for (const prospect of set) {
      open.delete(prospect);
      rooms.close(prospect.source.name);
    }
    const amounts = new Map(set.flatMap(({ movers }) => movers.map((mover) => [mover.pod, mover])));
    for (const { pod, host } of command.placements) {
      const mover = amounts.get(pod);
      if (mover) rooms.take(host, mover.amounts);
      close(host, { by: 'destination', because: 'pods move to it from nodes that go' });
    }
    problem.commit(command);
    commands.push(command);
  };
  const fail = (set: readonly Prospect[], kind: Attempted, because: Blocked): void => {
    tabu.add(keyOf(set));
    for (const prospect of set) {
      if (kind === 'deletion') undeletable.add(prospect);
      failures.set(prospect, (failures.get(prospect) ?? 0) + 1);
    }
    const [only] = set;
    if (set.length === 1 && only) {
      if (kind === 'last') close(only.source.name, because);
      else why.set(only.source.name, because);
    }
  };
  const attempt = (set: readonly Prospect[], kind: Attempted): void => {
    const candidates = set.map(({ source }) => source.candidate);
    const objection = problem.objection(candidates);
    const [only] = set;
    if (objection && set.length === 1 && only) return close(only.source.name, objection);
    if (objection) return fail(set, kind, objection);
    certified++;
    const names = new Set(set.map(({ source }) => source.name));
    const movers = set.flatMap((prospect) => prospect.movers).toSorted(bySize);
    const expected = expectedBy(rooms.fit(movers, names));
    const command = problem.certify(
      set.map(({ source }) => source),
      expected,
    );
    if ('because' in command) fail(set, kind, command);
    else commit(command, set);
  };
  return {
    commands,
    attempt,
    isSpent: () => certified >= problem.mostCertified || commands.length >= problem.mostCommands,
    nextDeletion: (): Proposal | undefined => {
      for (const prospect of open) {
        if (undeletable.has(prospect)) continue;
        const { left } = rooms.fit(prospect.movers, new Set([prospect.source.name]));
        if (left.length === 0) {
          const { isDue } = prospect;
          return { set: [prospect], merit: wasteOf(prospect), isDue };
        }
        undeletable.add(prospect);
      }
      return undefined;
    },
    mergeable: () => ({
      prospects: [...open].filter((each) => (failures.get(each) ?? 0) < MOST_FAILURES),
      isTabu: (set: readonly Prospect[]) => tabu.has(keyOf(set)),
    }),
    isUnexplained: (prospect: Prospect) => open.has(prospect),
    why: () => {
      for (const { source } of open) if (!why.has(source.name)) why.set(source.name, UNTRIED);
      return why;
    },
  };
}

const keyOf = (set: readonly Prospect[]): string =>
  set
    .map(({ source }) => source.name)
    .sort(compareText)
    .join(' ');

const expectedBy = ({ placed }: Fit): ReadonlyMap<string, string> =>
  new Map(placed.map(({ mover, host }) => [mover.pod.meta.uid, host]));

/** Large pods first: by cpu and memory as they come in the axes, then by uid. */
export const bySize = (a: Mover, b: Mover): number => {
  for (let axis = 0; axis < a.amounts.length; axis++) {
    const difference = (b.amounts[axis] ?? 0) - (a.amounts[axis] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareText(a.pod.meta.uid, b.pod.meta.uid);
};
