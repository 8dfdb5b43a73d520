import { compareText } from '#lib/constraints/order.ts';
import type { Blocked } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import { dearestFirst, type Prospect, type SearchProblem } from './prospect.ts';

/** What came of the sets that were tried so far. */
export interface Attempts {
  /** Neither taken nor ruled out; sorted as the prospects are. */
  readonly open: ReadonlySet<Prospect>;
  readonly commands: readonly DraftCommand[];
  /** Why each of the other nodes stays, by name. */
  readonly why: () => ReadonlyMap<string, Blocked>;
  /** Whether the work limits are reached. */
  readonly isSpent: () => boolean;
  /** Whether the set failed before, or has a member that failed too often. */
  readonly isHopeless: (set: readonly Prospect[]) => boolean;
  /**
   * Has the set confirmed and commits it, if it may go today. `places` tells where pods are tried
   * first, by uid; found anew where absent.
   */
  readonly attempt: (
    set: readonly Prospect[],
    places?: ReadonlyMap<string, string>,
  ) => 'committed' | 'notToday' | 'refused';
  /** Gives a node up for this pass. */
  readonly close: (prospect: Prospect, because: Blocked) => void;
}

/** A node that failed in so many sets is left alone. */
const MOST_FAILURES = 3;

const UNTRIED: Blocked = {
  by: 'work',
  because: 'there was no time to look at it in this pass: nodes that waste more came first',
};

const DESTINATION: Blocked = {
  by: 'destination',
  because: 'pods move to it from nodes that go',
};

/**
 * Begins with every prospect open. Nodes in `avoided` take no pods where it can be helped: they are
 * to go themselves, by and by.
 */
export function openAttempts(problem: SearchProblem, avoided: () => ReadonlySet<string>): Attempts {
  const { prospects, rooms } = problem;
  const byName = new Map(prospects.map((each) => [each.source.name, each]));
  const open = new Set(prospects);
  const why = new Map<string, Blocked>();
  const inSets = new Map<string, Blocked>();
  const commands: DraftCommand[] = [];
  const failures = new Map<Prospect, number>();
  const failed = new Set<string>();
  let certified = 0;
  const close = (prospect: Prospect, because: Blocked): void => {
    if (open.delete(prospect)) why.set(prospect.source.name, because);
  };
  const fail = (set: readonly Prospect[], because: Blocked): void => {
    failed.add(keyOf(set));
    for (const each of set) {
      failures.set(each, (failures.get(each) ?? 0) + 1);
      const { name } = each.source;
      if (set.length === 1) why.set(name, because);
      else inSets.set(name, togetherWith(set, name, because));
    }
  };
  const commit = (set: readonly Prospect[], command: DraftCommand): void => {
    for (const prospect of set) {
      open.delete(prospect);
      rooms.close(prospect.source.name);
    }
    const kinds = new Map(set.flatMap(({ movers }) => movers.map(({ pod, kind }) => [pod, kind])));
    for (const { pod, host } of command.placements) {
      const kind = kinds.get(pod);
      if (kind) rooms.take(host, kind);
      const receiver = byName.get(host);
      if (receiver) close(receiver, DESTINATION);
    }
    problem.commit(command);
    commands.push(command);
  };
  const placesFor = (set: readonly Prospect[]): ReadonlyMap<string, string> => {
    const names = set.map(({ source }) => source.name);
    const movers = set.flatMap((each) => each.movers).sort(dearestFirst(problem.prices));
    const { placed } = rooms.fit(movers, new Set([...avoided(), ...names]));
    return new Map(placed.map(({ mover, host }) => [mover.pod.meta.uid, host]));
  };
  return {
    open,
    commands,
    close,
    why: () => {
      const rest = [...open].map(({ source }) => source.name).filter((name) => !why.has(name));
      return new Map([...why, ...rest.map((name) => [name, inSets.get(name) ?? UNTRIED] as const)]);
    },
    isSpent: () => certified >= problem.mostCertified || commands.length >= problem.mostCommands,
    isHopeless: (set) =>
      failed.has(keyOf(set)) || set.some((each) => (failures.get(each) ?? 0) >= MOST_FAILURES),
    attempt: (set, places) => {
      const objection = problem.objection(set.map(({ source }) => source.candidate));
      const [first, ...others] = set;
      if (objection) {
        if (first && others.length === 0) close(first, objection);
        else fail(set, objection);
        return 'notToday';
      }
      certified++;
      const sources = set.map(({ source }) => source);
      const command = problem.certify(sources, places ?? placesFor(set), avoided());
      if ('because' in command) {
        fail(set, command);
        return 'refused';
      }
      commit(set, command);
      return 'committed';
    },
  };
}

const togetherWith = (
  set: readonly Prospect[],
  name: string,
  { by, because }: Blocked,
): Blocked => {
  const others = set.map(({ source }) => source.name).filter((other) => other !== name);
  return { by, because: `together with ${others.sort(compareText).join(', ')}: ${because}` };
};

const keyOf = (set: readonly Prospect[]): string =>
  set
    .map(({ source }) => source.name)
    .sort(compareText)
    .join(' ');
