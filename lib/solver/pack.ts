import { createAdmissions } from './admission.ts';
import {
  type AdmittedProblem,
  type Attempt,
  attempt,
  type Missing,
  type Packed,
  type PackProblem,
} from './attempt.ts';
import type { Economy } from './opening/fill.ts';
import type { PodGroup } from './pods/pod-groups.ts';
import { waitingOf } from './pods/waiting.ts';
import { hasToDoWithAffinity, looksForSomebody, stuckAmong } from './second-look/binding-order.ts';
import { lookAgain } from './second-look/look-again.ts';
import { standsOf } from './second-look/stands.ts';
import { type Caps, EVERY_CELL } from './topology/applicants.ts';
import type { TopologyRule } from './topology/rule.ts';
import { cheapestWay, USUAL_WAY, type Way } from './ways.ts';

/**
 * Packs groups onto hosts, then onto new nodes, for the fewest dollars. Where limits leave some
 * without a place, they are packed anew so that limits carry as far as they can, if that places
 * more.
 */
export function pack(problem: PackProblem): Packed {
  const admitted = { ...problem, admissions: createAdmissions() };
  const cheapest = cheapestWay(problem.groups, (way) => packWhole('dollars', way, admitted));
  if (cheapest.left.length === 0 || cheapest.ledger.allowances.size === 0) {
    return lookAgain(cheapest, admitted);
  }
  const densest = packWhole('limits', USUAL_WAY, admitted);
  const best = servesMore(densest, cheapest, problem.groups) ? densest : cheapest;
  return lookAgain(best, admitted);
}

/** Whether `a` leaves fewer pods than `b` of the first, largest, group in which they differ. */
function servesMore(a: Packed, b: Packed, groups: readonly PodGroup[]): boolean {
  const leftOf = ({ left }: Packed) =>
    new Map(left.map((waiting) => [waiting.group, waiting.left.length]));
  const [leftByA, leftByB] = [leftOf(a), leftOf(b)];
  const differs = groups.find((group) => leftByA.get(group) !== leftByB.get(group));
  return differs !== undefined && (leftByA.get(differs) ?? 0) < (leftByB.get(differs) ?? 0);
}

/** After this many attempts a group that still goes nowhere near where it was sent is left out. */
const MOST_ATTEMPTS = 8;

/**
 * Packs until every pod that was sent to a domain got a node there: rules hold only if all arrive.
 * Where nodes run out in a domain, fewer are sent there, and their like elsewhere keep even. Groups
 * that would all wait for one another to be bound first are left out.
 */
function packWhole(economy: Economy, way: Way, problem: AdmittedProblem): Packed {
  const lessons: Lessons = {
    caps: new Map(),
    sought: new Set(soughtIn(problem.groups)),
    givenUp: new Set(),
    barred: new Set(),
    stuck: new Set(),
  };
  for (let attempts = 1; ; attempts++) {
    const { caps, sought, stuck } = lessons;
    const groups = problem.groups.filter((group) => !stuck.has(group));
    const made = attempt(economy, { ...problem, groups }, { ...way, caps, sought });
    if (isNoFirst(made, problem, lessons) || isStuck(made, problem, lessons)) continue;
    if (made.missing.length === 0) return withLeft(made.packed, stuck);
    lessons.caps = lowered(caps, made.missing, attempts < MOST_ATTEMPTS);
  }
}

/** What attempts at one packing have shown. It is changed in place from one to the next. */
interface Lessons {
  caps: Caps;
  /** See createCensus. */
  readonly sought: Set<TopologyRule>;
  /** Affinities whose owners need not wait for others, who get no place. */
  readonly givenUp: Set<TopologyRule>;
  /** Of those the ones of which others have got places after all, elsewhere. */
  readonly barred: Set<TopologyRule>;
  /** Groups whose pods could not be bound where they were put. */
  readonly stuck: Set<PodGroup>;
}

/** Takes note of affinities whose owners may begin after all, or may not; whether there are any. */
function isNoFirst(
  { packed, inVain }: Attempt,
  problem: PackProblem,
  { sought, givenUp, barred }: Lessons,
): boolean {
  const hopeful = inVain.filter((rule) => !barred.has(rule));
  const spoiled = [...givenUp].filter((rule) => hasOthers(rule, problem, packed));
  for (const rule of hopeful) {
    sought.delete(rule);
    givenUp.add(rule);
  }
  for (const rule of spoiled) {
    givenUp.delete(rule);
    barred.add(rule);
    sought.add(rule);
  }
  return hopeful.length > 0 || spoiled.length > 0;
}

/** Takes note of groups that would all wait for one another; whether there are any. */
function isStuck(
  { packed, missing }: Attempt,
  problem: AdmittedProblem,
  { stuck }: Lessons,
): boolean {
  if (missing.length > 0 || !problem.groups.some(looksForSomebody)) return false;
  // Who has to do with no affinity keeps nobody waiting.
  const groups = problem.groups.filter(hasToDoWithAffinity);
  const more = stuckAmong(standsOf(packed, { ...problem, groups }), problem.topology);
  for (const group of more) stuck.add(group);
  return more.size > 0;
}

/** The plan, and groups that were left out of it. */
const withLeft = (packed: Packed, groups: ReadonlySet<PodGroup>): Packed =>
  groups.size === 0 ? packed : { ...packed, left: [...packed.left, ...[...groups].map(waitingOf)] };

/** Whether pods got places that an affinity selects and that do not ask for it themselves. */
function hasOthers(rule: TopologyRule, { groups }: PackProblem, { left }: Packed): boolean {
  const counts = new Map(left.map((waiting) => [waiting.group, waiting.left.length]));
  return groups.some(
    (group) =>
      (counts.get(group) ?? 0) < group.pods.length &&
      group.standing.byNode.some((part) => part.rule === rule && part.selected && !part.owns),
  );
}

function lowered(caps: Caps, missing: readonly Missing[], isHopeful: boolean): Caps {
  const lower = new Map([...caps].map(([group, cells]) => [group, new Map(cells)]));
  for (const { group, cell, arrived } of missing) {
    const cells = lower.get(group) ?? new Map<string, number>();
    cells.set(isHopeful ? cell : EVERY_CELL, isHopeful ? arrived : 0);
    lower.set(group, cells);
  }
  return lower;
}

/** Affinities that select pods of the batch which do not ask for it themselves. */
const soughtIn = (groups: readonly PodGroup[]): ReadonlySet<TopologyRule> =>
  new Set(
    groups
      .flatMap(({ standing }) => [...standing.byNode, ...standing.byDomain])
      .filter(({ rule, owns, selected }) => rule.kind === 'affinity' && selected && !owns)
      .map(({ rule }) => rule),
  );
