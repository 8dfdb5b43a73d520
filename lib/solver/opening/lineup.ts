import { type Amounts, type Axes, worth } from '../amounts.ts';
import type { Ask } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { Prices } from '../prices/prices.ts';
import type { TopologyRule } from '../topology/rule.ts';
import type { Part } from '../topology/rules.ts';

/** Pods of one group that still need a node, and what they ask for at present. */
export interface Portion {
  readonly group: PodGroup;
  readonly asks: readonly Ask[];
  readonly left: number;
}

/** What a pod is to a rule, and the place of the rule among those of a lineup. */
interface NumberedPart {
  readonly part: Part;
  readonly rule: number;
}

/** What portions of one kind have in common. */
export interface Kind {
  readonly asks: readonly Ask[];
  readonly parts: readonly NumberedPart[];
  /** Whether a node that takes none of them now takes none later: company only keeps away. */
  readonly isFinal: boolean;
}

/**
 * Portions, dearest first, with what filling a node looks at again and again as plain numbers: made
 * once for all shapes that are tried.
 */
export interface Lineup {
  readonly portions: readonly Portion[];
  readonly placeOf: (group: PodGroup) => number | undefined;
  readonly left: Int32Array;
  /** What a pod of each portion asks for, portion after portion. */
  readonly amounts: Float64Array;
  /** For each portion its kind: those of one kind ask the same and are the same to rules. */
  readonly kinds: Int32Array;
  /** What the pods of each kind are to rules over the hostname. */
  readonly ofKind: readonly Kind[];
  readonly rules: ReadonlyMap<TopologyRule, number>;
  /** Whether some pods may come only where others are. */
  readonly haveFollowers: boolean;
  /** For each portion the place behind the last of those that follow it and ask for as much. */
  readonly runEnds: Int32Array;
  /** Of each block of portions the least cpu, then the least memory that one asks for. */
  readonly smallest: Float64Array;
  /** What all of them ask for together. */
  readonly total: Amounts;
  /** The axes over which nodes are balanced. */
  readonly cpu: number;
  readonly memory: number;
  /**
   * For each portion 1 where its pods would be no cheaper elsewhere than at these prices; undefined
   * where that holds for all.
   */
  readonly nativesAt: (prices: Amounts) => Uint8Array | undefined;
  /** The same for all portions of the lineup that this one is what remains of. */
  readonly nativesAtFirst: Lineup['nativesAt'];
  /** The place of each portion in that lineup. */
  readonly placesAtFirst: Int32Array;
}

/** Portions that are looked at or passed over together. */
export const BLOCK = 32;

/** A pod belongs in a market where its resources are worth at most this much more than itself. */
const NATIVE_SHARE = 0.97;

/** The lineup of `portions`, which are sorted by worth. Cost: portions. */
export function lineUp(portions: readonly Portion[], axes: Axes, prices: Prices): Lineup {
  const rules = numbered(rulesOf(portions));
  const size = axes.length;
  const amounts = new Float64Array(portions.length * size);
  for (let at = 0; at < portions.length; at++) {
    const asked = portions[at]?.group.amounts ?? [];
    for (let axis = 0; axis < size; axis++) amounts[at * size + axis] = asked[axis] ?? 0;
  }
  const sides = { cpu: axes.indexOf('cpu'), memory: axes.indexOf('memory') };
  const nativesAt = remembered((here) => nativesOf(portions, prices, here));
  return {
    ...countsOf(portions, amounts, sides),
    ...kindsOf(portions, rules),
    rules,
    haveFollowers: [...rules.keys()].some(({ kind }) => kind === 'affinity'),
    nativesAt,
    nativesAtFirst: nativesAt,
    placesAtFirst: Int32Array.from(portions, (_, at) => at),
  };
}

/**
 * The lineup when some of its pods are gone: `portions` are what remains of its own, in their
 * order, asking the same. Cost: portions, with no look at what they are.
 */
export function lineUpFewer(lineup: Lineup, portions: readonly Portion[]): Lineup {
  const size = lineup.total.length;
  const amounts = new Float64Array(portions.length * size);
  const kinds = new Int32Array(portions.length);
  const placesAtFirst = new Int32Array(portions.length);
  let before = 0;
  for (let at = 0; at < portions.length; at++, before++) {
    while (lineup.portions[before]?.group !== portions[at]?.group) before += 1;
    kinds[at] = lineup.kinds[before] ?? 0;
    placesAtFirst[at] = lineup.placesAtFirst[before] ?? 0;
    for (let axis = 0; axis < size; axis++) {
      amounts[at * size + axis] = lineup.amounts[before * size + axis] ?? 0;
    }
  }
  return {
    ...lineup,
    ...countsOf(portions, amounts, lineup),
    kinds,
    nativesAt: remembered((here) => marksAt(placesAtFirst, lineup.nativesAtFirst(here))),
    placesAtFirst,
  };
}

/** What follows from portions and what they ask for. */
function countsOf(
  portions: readonly Portion[],
  amounts: Float64Array,
  { cpu, memory }: Pick<Lineup, 'cpu' | 'memory'>,
) {
  const groups = portions.map(({ group }) => group);
  const size = portions.length === 0 ? 0 : amounts.length / portions.length;
  return {
    portions,
    placeOf: placesOf(groups),
    left: Int32Array.from(portions, ({ left }) => left),
    amounts,
    runEnds: runEndsOf(groups),
    smallest: smallestOf(amounts, size, [cpu, memory]),
    total: totalOf(portions, amounts, size),
    cpu,
    memory,
  };
}

/** Most often it is the first one that is asked for: the one that a node is opened for. */
function placesOf(groups: readonly PodGroup[]): Lineup['placeOf'] {
  let places: ReadonlyMap<PodGroup, number> | undefined;
  return (group) => {
    if (group === groups[0]) return 0;
    places ??= new Map(groups.map((each, at) => [each, at]));
    return places.get(group);
  };
}

function kindsOf(
  portions: readonly Portion[],
  rules: ReadonlyMap<TopologyRule, number>,
): Pick<Lineup, 'kinds' | 'ofKind'> {
  const places = new Map<readonly Part[], Map<readonly Ask[], number>>();
  const ofKind: Kind[] = [];
  const kinds = Int32Array.from(portions, ({ group, asks }) => {
    const { byNode } = group.standing;
    const ofParts = places.get(byNode) ?? new Map<readonly Ask[], number>();
    places.set(byNode, ofParts);
    const known = ofParts.get(asks);
    if (known !== undefined) return known;
    const parts = byNode.map((part) => ({ part, rule: rules.get(part.rule) ?? 0 }));
    const isFinal = byNode.every(({ rule }) => rule.kind !== 'affinity');
    ofParts.set(asks, ofKind.length);
    return ofKind.push({ asks, parts, isFinal }) - 1;
  });
  return { kinds, ofKind };
}

function nativesOf(
  portions: readonly Portion[],
  { worthOf }: Prices,
  here: Amounts,
): Uint8Array | undefined {
  const marks = new Uint8Array(portions.length);
  let count = 0;
  for (let at = 0; at < portions.length; at++) {
    const group = portions[at]?.group;
    if (!group || worthOf(group) < NATIVE_SHARE * worth(here, group.amounts)) continue;
    marks[at] = 1;
    count += 1;
  }
  return count === portions.length ? undefined : marks;
}

/** The marks of some portions, by their places among all; undefined where each of them has one. */
function marksAt(places: Int32Array, all: Uint8Array | undefined): Uint8Array | undefined {
  if (!all) return undefined;
  const marks = new Uint8Array(places.length);
  let count = 0;
  for (let at = 0; at < places.length; at++) {
    const mark = all[places[at] ?? 0] ?? 0;
    marks[at] = mark;
    count += mark;
  }
  return count === places.length ? undefined : marks;
}

function remembered<Answer>(answer: (here: Amounts) => Answer): (here: Amounts) => Answer {
  const known = new Map<Amounts, { readonly answer: Answer }>();
  return (here) => {
    const found = known.get(here) ?? { answer: answer(here) };
    known.set(here, found);
    return found.answer;
  };
}

function runEndsOf(groups: readonly PodGroup[]): Int32Array {
  const ends = new Int32Array(groups.length);
  for (let at = groups.length - 1; at >= 0; at--) {
    const isSame = groups[at]?.amounts === groups[at + 1]?.amounts;
    ends[at] = isSame ? (ends[at + 1] ?? 0) : at + 1;
  }
  return ends;
}

function rulesOf(portions: readonly Portion[]): readonly TopologyRule[] {
  const rules: TopologyRule[] = [];
  for (const { group } of portions) for (const { rule } of group.standing.byNode) rules.push(rule);
  return rules;
}

function numbered<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const numbers = new Map<T, number>();
  for (const item of items) if (!numbers.has(item)) numbers.set(item, numbers.size);
  return numbers;
}

function smallestOf(amounts: Float64Array, size: number, sides: readonly number[]): Float64Array {
  const count = size === 0 ? 0 : amounts.length / size;
  const smallest = new Float64Array(2 * Math.ceil(count / BLOCK));
  smallest.fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < count; at++) {
    for (let side = 0; side < sides.length; side++) {
      const block = 2 * Math.floor(at / BLOCK) + side;
      const amount = amounts[at * size + (sides[side] ?? 0)] ?? 0;
      if (amount < (smallest[block] ?? 0)) smallest[block] = amount;
    }
  }
  return smallest;
}

function totalOf(portions: readonly Portion[], amounts: Float64Array, size: number): Amounts {
  const total = new Array<number>(size).fill(0);
  for (let at = 0; at < portions.length; at++) {
    const left = portions[at]?.left ?? 0;
    for (let axis = 0; axis < size; axis++) {
      total[axis] = (total[axis] ?? 0) + (amounts[at * size + axis] ?? 0) * left;
    }
  }
  return total;
}
