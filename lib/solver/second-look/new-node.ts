import { requirementOf } from '#lib/constraints/requirement.ts';
import { agrees, intersectRequirements } from '#lib/constraints/requirements.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { HostPacking } from '../hosts/host-packing.ts';
import { packNewNodes } from '../opening/new-nodes.ts';
import type { Ask, AskLevel } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { waitingOf } from '../pods/waiting.ts';
import { type Cell, cellsOf } from '../topology/cells.ts';
import { addStand, admits, admitsOn, type OpenPlan, spoils, strands } from './open-plan.ts';
import { spotOfClaim } from './stands.ts';

/** How many cells are tried for one pod, the best first. */
const MOST_CELLS = 32;

/** A cell in which a group may have one more pod, and what it asks for there. */
interface Opening {
  readonly cell: Cell;
  readonly level: AskLevel;
}

/**
 * Opens a node for one pod that asks what this level does, where rules over domains let it be, and
 * tells whether there is such a node. It is in one domain of each kind; where the pod's rules only
 * keep it away from some, and no single domain will do, in any of the others.
 */
export function openNodeFor(plan: OpenPlan, group: PodGroup, level: number, pod: Pod): boolean {
  const { sources } = plan.problem;
  if (sources.length === 0) return false;
  const cells = openCells(plan, group);
  return (
    openingsIn(plan, group, level, cells).some((opening) => opensIn(plan, group, opening, pod)) ||
    jointly(group, level, cells).some((opening) => opensIn(plan, group, opening, pod))
  );
}

/**
 * What pods of a group ask at this level, once for each single cell in which they may be; nothing
 * where no rule binds them to one.
 */
export function asksBySingleCell(
  plan: OpenPlan,
  group: PodGroup,
  level: number,
): readonly (readonly Ask[])[] {
  if (!isBound(group)) return [];
  return openingsIn(plan, group, level, openCells(plan, group)).map(({ level: { asks } }) => asks);
}

/** By which way to meet its node affinity a pod goes is seen when there is a node. */
const openCells = (plan: OpenPlan, group: PodGroup): readonly Cell[] =>
  cellsOf(group, plan.problem.topology, plan.problem.sources).filter(({ place }) =>
    admits(plan, group, place, () => true),
  );

/** Whether a rule binds pods of the group to a single domain. */
const isBound = ({ standing }: PodGroup): boolean =>
  standing.byDomain.some(({ rule, owns }) => owns && rule.kind !== 'antiAffinity');

/** The cells in which there is an offer, the best first. */
function openingsIn(
  { narrowing, offers, census }: OpenPlan,
  group: PodGroup,
  level: number,
  cells: readonly Cell[],
): readonly Opening[] {
  const { byDomain } = group.standing;
  return cells
    .flatMap((cell) => {
      const levels = narrowing.levelsIn(group.levels, cell);
      const [there, offer] = [levels[level], offers({ ...group, levels })];
      if (!there || !offer || offer.level > level) return [];
      const crowds = census.crowdsOthers(byDomain, cell.place) ? 1 : 0;
      const { weight, price } = offer;
      return [{ cell, level: there, crowds, weight, price }];
    })
    .sort((a, b) => a.crowds - b.crowds || b.weight - a.weight || a.price - b.price)
    .slice(0, MOST_CELLS);
}

/**
 * All of the cells as one, for pods that no rule binds to a single domain: minimums may need the
 * types of more than one.
 */
function jointly(group: PodGroup, level: number, cells: readonly Cell[]): readonly Opening[] {
  const { byDomain } = group.standing;
  const asked = group.levels[level];
  if (byDomain.length === 0 || isBound(group) || !asked || cells.length < 2) return [];
  const cell = jointCell(cells);
  const asks = asked.asks
    .filter((ask) => agrees(ask.requirements, cell.requirements))
    .map((ask) => ({
      ...ask,
      requirements: intersectRequirements(ask.requirements, cell.requirements),
    }));
  return [{ cell, level: { ...asked, asks } }];
}

function jointCell(cells: readonly Cell[]): Cell {
  const values = new Map<string, Set<string>>();
  for (const { place } of cells) {
    for (const [key, [value]] of place) {
      if (value !== undefined) values.set(key, (values.get(key) ?? new Set()).add(value));
    }
  }
  return {
    text: cells.map(({ text }) => text).join(' or '),
    values: cells.flatMap((cell) => cell.values),
    place: new Map([...values].map(([key, each]) => [key, [...each]])),
    requirements: new Map(
      [...values].map(([key, each]) => [
        key,
        requirementOf({ key, operator: 'In', values: [...each] }),
      ]),
    ),
  };
}

function opensIn(plan: OpenPlan, group: PodGroup, { cell, level }: Opening, pod: Pod): boolean {
  if (level.asks.length === 0) return false;
  const alone: PodGroup = {
    ...group,
    pods: [pod],
    sample: pod,
    levels: [level],
    standing: { ...group.standing, byDomain: [], byDomainText: '' },
    likeness: `${group.likeness} ${cell.text}`,
  };
  const made = packNewNodes([waitingOf(alone)], NOWHERE, plan.ledger, plan.context);
  const [[claim], [draft]] = [made.claims, made.drafts];
  if (!claim || !draft) return false;
  const spot = spotOfClaim(claim, plan.claims.length, plan.keys);
  if (!admitsOn(plan, group, spot) || spoils(plan, group, spot) || strands(plan, group, spot)) {
    return false;
  }
  plan.claims.push(claim);
  plan.drafts.push(draft);
  plan.ledger = made.ledger;
  addStand(plan, { group, spot, count: 1 });
  return true;
}

/** Nodes that are there have been looked at. */
const NOWHERE: HostPacking = {
  place: () => {},
  roomFor: () => 0,
  placeExpected: () => {},
  placements: () => [],
};
