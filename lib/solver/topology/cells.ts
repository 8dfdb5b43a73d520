import { compareText } from '#lib/constraints/order.ts';
import { has, requirementOf } from '#lib/constraints/requirement.ts';
import { intersectRequirements, type Requirements } from '#lib/constraints/requirements.ts';
import { WELL_KNOWN } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Ask, type AskLevel, type LabelAsk, requiredAlternatives } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Source } from '../sources.ts';
import type { Place } from './census.ts';

/** One value of each topology key that matters to a group: where some of its pods may go. */
export interface Cell {
  /** Cells of equal text are the same. */
  readonly text: string;
  /** The parts of `text`, one for each key. */
  readonly values: readonly string[];
  readonly place: Place;
  readonly requirements: Requirements;
}

/** More combinations than this are not looked at: the first ones, by value, are. */
const MOST_CELLS = 4096;

/**
 * What a pod's own node selector and affinity allow, whichever alternative is taken that some node
 * meets or could; where its volumes are has no say.
 */
export function allowedBy(
  pod: Pod,
  isPossible: (ask: LabelAsk) => boolean,
): (topologyKey: string, value: string) => boolean {
  const asks = requiredAlternatives(pod);
  const possible = asks.filter(isPossible);
  return (topologyKey, value) =>
    (possible.length > 0 ? possible : asks).some((ask) => permits(ask, topologyKey, value));
}

/** Whether an ask leaves a value of a key. */
export function permits({ requirements }: LabelAsk, topologyKey: string, value: string): boolean {
  const requirement = requirements.get(topologyKey);
  return requirement === undefined || has(requirement, value);
}

/** What is known of the labels of nodes. */
export interface KnownValues {
  /** Every value of a topology key that nodes have or could have, sorted. */
  readonly valuesOf: (topologyKey: string) => readonly string[];
  /** See allowedBy; remembered for each pod. */
  readonly allowedTo: (pod: Pod) => (topologyKey: string, value: string) => boolean;
  /** Whether some node that is there lacks the label. */
  readonly isMissingOnHosts: (topologyKey: string) => boolean;
}

/**
 * Every combination of domains in which pods of `group` might stand; none where a rule of its own
 * is over a key that nobody has. `valuesOf` are the values that there are or could be of a key.
 *
 * A pod that rules only count, or that keeps away from others, may also stand on a node without
 * the label, if there is one or some NodePool makes such nodes.
 */
export function cellsOf(
  group: PodGroup,
  { valuesOf, isMissingOnHosts, allowedTo }: KnownValues,
  sources: readonly Source[],
): readonly Cell[] {
  const allowed = allowedTo(group.sample);
  let combinations: readonly (readonly (readonly [string, string | undefined])[])[] = [[]];
  for (const key of keysOf(group)) {
    const needsLabel = group.standing.byDomain.some(
      ({ rule, owns }) => owns && rule.topologyKey === key && rule.kind !== 'antiAffinity',
    );
    const values: (string | undefined)[] = valuesOf(key).filter((value) => allowed(key, value));
    if (!needsLabel && (isMissingOnHosts(key) || mayBeAbsent(key, sources))) {
      values.push(undefined);
    }
    combinations = combinations.flatMap((before) =>
      values.map((value) => [...before, [key, value] as const]),
    );
    combinations = combinations.slice(0, MOST_CELLS);
  }
  return combinations.map(cellAt);
}

const keysOf = ({ standing }: PodGroup): readonly string[] =>
  [...new Set(standing.byDomain.map(({ rule }) => rule.topologyKey))].sort(compareText);

/** Labels that only some NodePools define are missing on the nodes of the others. */
const mayBeAbsent = (key: string, sources: readonly Source[]): boolean =>
  !WELL_KNOWN.has(key) &&
  (sources.length === 0 || sources.some(({ requirements }) => !requirements.has(key)));

function cellAt(values: readonly (readonly [string, string | undefined])[]): Cell {
  const texts = values.map(([key, value]) => (value === undefined ? `!${key}` : `${key}=${value}`));
  return {
    text: texts.join(' '),
    values: texts,
    place: new Map(
      values.flatMap(([key, value]) => (value === undefined ? [] : [[key, [value]] as const])),
    ),
    requirements: new Map(
      values.map(([key, value]) => [
        key,
        value === undefined
          ? requirementOf({ key, operator: 'DoesNotExist' })
          : requirementOf({ key, operator: 'In', values: [value] }),
      ]),
    ),
  };
}

/** Narrows what pods ask to a cell, giving equal answers to equal questions. */
export interface Narrowing {
  readonly levelsIn: (levels: readonly AskLevel[], cell: Cell) => readonly AskLevel[];
}

/** An empty memory of narrowed Asks. */
export function createNarrowing(): Narrowing {
  const levelsByCell = new Map<string, Map<readonly AskLevel[], readonly AskLevel[]>>();
  const asksByCell = new Map<string, Map<string, Ask>>();
  const ids = new Map<Ask, number>();
  const narrow = (ask: Ask, cell: Cell): Ask => {
    const id = ids.get(ask) ?? ids.size;
    ids.set(ask, id);
    const ofCell = asksByCell.get(cell.text) ?? new Map<string, Ask>();
    asksByCell.set(cell.text, ofCell);
    const before = ofCell.get(String(id));
    if (before) return before;
    const narrowed = {
      ...ask,
      requirements: intersectRequirements(ask.requirements, cell.requirements),
    };
    ofCell.set(String(id), narrowed);
    return narrowed;
  };
  return {
    levelsIn: (levels, cell) => {
      const ofCell = levelsByCell.get(cell.text) ?? new Map();
      levelsByCell.set(cell.text, ofCell);
      const before = ofCell.get(levels);
      if (before) return before;
      const narrowed = levels.map(({ asks, givenUp }) => ({
        asks: asks.filter((ask) => isOpenTo(ask, cell)).map((ask) => narrow(ask, cell)),
        givenUp,
      }));
      ofCell.set(levels, narrowed);
      return narrowed;
    },
  };
}

/** Whether an Ask leaves the cell's value of every key. */
function isOpenTo(ask: Ask, { place, requirements }: Cell): boolean {
  for (const key of requirements.keys()) {
    const [value] = place.get(key) ?? [];
    if (value === undefined ? ask.present.has(key) : !permits(ask, key, value)) return false;
  }
  return true;
}
