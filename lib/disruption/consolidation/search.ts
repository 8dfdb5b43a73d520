import type { Blocked } from '../candidates.ts';
import type { DraftCommand } from '../draft-command.ts';
import { type Attempts, openAttempts } from './attempts.ts';
import { drawBlueprint } from './blueprint.ts';
import { bestMerge } from './merge.ts';
import { type Proposal, type Prospect, type SearchProblem, wasteOf } from './prospect.ts';

/** The commands, and why each of the other nodes stays, by name. */
export interface Found {
  readonly commands: readonly DraftCommand[];
  readonly why: ReadonlyMap<string, Blocked>;
}

/**
 * Looks for sets of nodes whose removal saves most for each pod that moves, and commits one after
 * the other, each confirmed by the solver beside all before it. Nodes that pods move to are not
 * removed in the same pass.
 *
 * First a picture is drawn of all that would go, and as much of it is carried out as may be today.
 * Then single nodes and sets of them are tried that the picture missed or the solver refused in it.
 * What is left in the end is asked about one by one, for the reasons.
 */
export function search(problem: SearchProblem): Found {
  const going = new Set<string>();
  const attempts = openAttempts(problem, () => going);
  askForConsent(attempts, problem);
  followBlueprint(attempts, problem, going);
  improve(attempts, problem, going);
  explainRest(attempts, problem);
  return { commands: attempts.commands, why: attempts.why() };
}

/** Draws the picture and commits as much of it as may be today; `going` is told what is in it. */
function followBlueprint(attempts: Attempts, problem: SearchProblem, going: Set<string>): void {
  const blueprint = drawBlueprint([...attempts.open], problem);
  const sets = [...blueprint.deletions.map((each) => [each]), ...blueprint.merges];
  for (const { source } of sets.flat()) going.add(source.name);
  for (const set of sets) {
    if (attempts.isSpent()) return;
    if (attempts.attempt(set, blueprint.places) !== 'refused') continue;
    for (const { source } of set) going.delete(source.name);
  }
}

/** Asks about each of the rest alone. */
function explainRest(attempts: Attempts, { prospects }: SearchProblem): void {
  for (const prospect of prospects) {
    const isDone = !attempts.open.has(prospect) || attempts.isHopeless([prospect]);
    if (!isDone && !attempts.isSpent()) attempts.attempt([prospect]);
  }
}

/** Gives up those that may not go, beside what was granted so far. */
function askForConsent({ open, close }: Attempts, { objection }: SearchProblem): void {
  for (const prospect of open) {
    const why = objection([prospect.source.candidate]);
    if (why) close(prospect, why);
  }
}

/**
 * Commits what looks best, one after the other. Deletions are tried in the order of waste: room
 * only shrinks, so one that does not fit will not fit later. Where pods do not fit, sets of nodes
 * are grown that new nodes replace.
 */
function improve(attempts: Attempts, problem: SearchProblem, going: ReadonlySet<string>): void {
  const crowded = new Set<Prospect>();
  while (!attempts.isSpent()) {
    askForConsent(attempts, problem);
    const deletion = nextDeletion(attempts, crowded, { problem, going });
    const merge = bestMerge(attempts, problem);
    const better = !deletion || (merge && isBetter(merge, deletion)) ? merge : deletion;
    if (!better) return;
    attempts.attempt(better.set);
  }
}

interface Looking {
  readonly problem: SearchProblem;
  readonly going: ReadonlySet<string>;
}

/** The first whose pods fit on nodes that stay; those whose do not are noted as crowded. */
function nextDeletion(
  { open, isHopeless }: Attempts,
  crowded: Set<Prospect>,
  { problem, going }: Looking,
): Proposal | undefined {
  for (const prospect of open) {
    if (crowded.has(prospect) || isHopeless([prospect])) continue;
    const { left } = problem.rooms.fit(prospect.movers, new Set([...going, prospect.source.name]));
    if (left.length === 0) {
      return { set: [prospect], merit: wasteOf(prospect), isDue: prospect.isDue };
    }
    crowded.add(prospect);
  }
  return undefined;
}

const isBetter = (a: Proposal, b: Proposal): boolean =>
  a.isDue === b.isDue ? a.merit > b.merit : a.isDue;
