import { compareText } from '#lib/constraints/order.ts';
import type { Blocked } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import { drawBlueprint } from './blueprint.ts';
import { bestMerge } from './merge.ts';
import { bySize, type Proposal, type Prospect, type SearchProblem, wasteOf } from './prospect.ts';
import type { Fit } from './rooms.ts';

/** The commands, and why each of the other nodes stays, by name. */
export interface Found {
  readonly commands: readonly DraftCommand[];
  readonly why: ReadonlyMap<string, Blocked>;
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
  const blueprint = drawBlueprint(state.consenting(), problem);
  for (const prospect of blueprint.deletions) {
    if (!state.isSpent()) state.attempt([prospect], 'deletion', blueprint.places);
  }
  for (const set of blueprint.merges) {
    if (!state.isSpent()) state.attempt(set, 'merge', blueprint.places);
  }
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
      if (mover) rooms.take(host, mover.kind.amounts);
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
  const attempt = (
    set: readonly Prospect[],
    kind: Attempted,
    places?: ReadonlyMap<string, string>,
  ): void => {
    const candidates = set.map(({ source }) => source.candidate);
    const objection = problem.objection(candidates);
    const [only] = set;
    if (objection && set.length === 1 && only) return close(only.source.name, objection);
    if (objection) return fail(set, kind, objection);
    certified++;
    const names = new Set(set.map(({ source }) => source.name));
    const movers = set.flatMap((prospect) => prospect.movers).toSorted(bySize);
    const expected = places ?? expectedBy(rooms.fit(movers, names));
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
    /** Those that may go as far as they alone are concerned; the others are closed. */
    consenting: (): readonly Prospect[] =>
      prospects.filter((prospect) => {
        const objection = problem.objection([prospect.source.candidate]);
        if (objection) close(prospect.source.name, objection);
        return !objection;
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
