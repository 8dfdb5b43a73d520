import { createAdmissions } from './admission.ts';
import {
  type AdmittedProblem,
  attempt,
  type Missing,
  type Packed,
  type PackProblem,
} from './attempt.ts';
import type { Economy } from './opening/fill.ts';
import type { PodGroup } from './pods/pod-groups.ts';
import { type Caps, EVERY_CELL } from './topology/assign.ts';
import type { TopologyRule } from './topology/rule.ts';
import { cheapestWay, USUAL_WAY, type Way } from './ways.ts';

/**
 * Packs groups onto hosts, then onto new nodes, for the fewest dollars. Where limits leave some
 * without a place, they are packed anew so that limits carry as far as they can, if that places
 * more.
 */
export function pack(problem: PackProblem): Packed {
  const admissions = createAdmissions();
  const cheapest = cheapestWay(problem.groups, (way) =>
    packWhole('dollars', way, { ...problem, admissions }),
  );
  if (cheapest.left.length === 0 || cheapest.ledger.allowances.size === 0) return cheapest;
  const densest = packWhole('limits', USUAL_WAY, { ...problem, admissions });
  return servesMore(densest, cheapest, problem.groups) ? densest : cheapest;
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
 * Where nodes run out in a domain, fewer are sent there, and their like elsewhere keep even.
 */
function packWhole(economy: Economy, way: Way, problem: AdmittedProblem): Packed {
  let caps: Caps = new Map();
  const sought = new Set(soughtIn(problem.groups));
  const givenUp = new Set<TopologyRule>();
  const barred = new Set<TopologyRule>();
  for (let attempts = 1; ; attempts++) {
    const { packed, missing, inVain } = attempt(economy, problem, { ...way, caps, sought });
    const hopeful = inVain.filter((rule) => !barred.has(rule));
    const spoiled = [...givenUp].filter((rule) => hasOthers(rule, problem, packed));
    if (missing.length === 0 && hopeful.length === 0 && spoiled.length === 0) return packed;
    for (const rule of hopeful) {
      sought.delete(rule);
      givenUp.add(rule);
    }
    // Those whom the first ones did not wait for have got places after all, elsewhere.
    for (const rule of spoiled) {
      givenUp.delete(rule);
      barred.add(rule);
      sought.add(rule);
    }
    const isDone = hopeful.length > 0 || spoiled.length > 0;
    if (!isDone) caps = lowered(caps, missing, attempts < MOST_ATTEMPTS);
  }
}

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
