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
  /** For each portion the place of its asks among all different ones. */
  readonly asking: Int32Array;
  readonly differentAsks: number;
  /** For each portion what it is to rules over the hostname. */
  readonly parts: readonly (readonly NumberedPart[])[];
  readonly rules: ReadonlyMap<TopologyRule, number>;
  /** Whether some pods may come only where others are. */
  readonly haveFollowers: boolean;
  /** For each portion the place behind the last of those that follow it and ask for as much. */
  readonly runEnds: Int32Array;
  /** Of each block of portions the least cpu, then the least memory that one asks for. */
  readonly smallest: Float64Array;
  /** What all of them ask for together. */
  readonly total: Amounts;
  /** The axes of cpu and memory, over which nodes are balanced. */
  readonly sides: readonly [number, number];
  /**
   * For each portion 1 where its pods would be no cheaper elsewhere than at these prices; undefined
   * where that holds for all.
   */
  readonly nativesAt: (prices: Amounts) => Uint8Array | undefined;
}

/** Portions that are looked at or passed over together. */
export const BLOCK = 32;

/** A pod belongs in a market where its resources are worth at most this much more than itself. */
const NATIVE_SHARE = 0.97;

/** The lineup of `portions`, which are sorted by worth. Cost: portions. */
export function lineUp(portions: readonly Portion[], axes: Axes, prices: Prices): Lineup {
  const groups = portions.map(({ group }) => group);
  const differentAsks = numbered(portions.map(({ asks }) => asks));
  const rules = numbered(rulesOf(groups));
  const amounts = new Float64Array(portions.length * axes.length);
  for (let at = 0; at < groups.length; at++) {
    amounts.set(groups[at]?.amounts ?? [], at * axes.length);
  }
  const sides = [axes.indexOf('cpu'), axes.indexOf('memory')] as const;
  return {
    portions,
    placeOf: placesOf(groups),
    left: Int32Array.from(portions, ({ left }) => left),
    amounts,
    asking: Int32Array.from(portions, ({ asks }) => differentAsks.get(asks) ?? 0),
    differentAsks: differentAsks.size,
    parts: groups.map(({ standing: { byNode } }) =>
      byNode.length === 0
        ? NO_PARTS
        : byNode.map((part) => ({ part, rule: rules.get(part.rule) ?? 0 })),
    ),
    rules,
    haveFollowers: [...rules.keys()].some(({ kind }) => kind === 'affinity'),
    runEnds: runEndsOf(groups),
    smallest: smallestOf(groups, sides),
    total: totalOf(portions, axes),
    sides: [...sides],
    nativesAt: nativesOf(groups, prices),
  };
}

const NO_PARTS: readonly NumberedPart[] = [];

/** Most often it is the first one that is asked for: the one that a node is opened for. */
function placesOf(groups: readonly PodGroup[]): Lineup['placeOf'] {
  let places: ReadonlyMap<PodGroup, number> | undefined;
  return (group) => {
    if (group === groups[0]) return 0;
    places ??= new Map(groups.map((each, at) => [each, at]));
    return places.get(group);
  };
}

function nativesOf(groups: readonly PodGroup[], { worthOf }: Prices): Lineup['nativesAt'] {
  const known = new Map<Amounts, Uint8Array | undefined>();
  return (here) => {
    if (known.has(here)) return known.get(here);
    const marks = new Uint8Array(groups.length);
    let count = 0;
    for (const [at, group] of groups.entries()) {
      if (worthOf(group) < NATIVE_SHARE * worth(here, group.amounts)) continue;
      marks[at] = 1;
      count += 1;
    }
    const natives = count === groups.length ? undefined : marks;
    known.set(here, natives);
    return natives;
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

function rulesOf(groups: readonly PodGroup[]): readonly TopologyRule[] {
  const rules: TopologyRule[] = [];
  for (const { standing } of groups) for (const { rule } of standing.byNode) rules.push(rule);
  return rules;
}

function numbered<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const numbers = new Map<T, number>();
  for (const item of items) if (!numbers.has(item)) numbers.set(item, numbers.size);
  return numbers;
}

function smallestOf(groups: readonly PodGroup[], sides: readonly number[]): Float64Array {
  const smallest = new Float64Array(2 * Math.ceil(groups.length / BLOCK));
  smallest.fill(Number.POSITIVE_INFINITY);
  for (let at = 0; at < groups.length; at++) {
    const amounts = groups[at]?.amounts ?? [];
    for (let side = 0; side < sides.length; side++) {
      const block = 2 * Math.floor(at / BLOCK) + side;
      smallest[block] = Math.min(smallest[block] ?? 0, amounts[sides[side] ?? 0] ?? 0);
    }
  }
  return smallest;
}

function totalOf(portions: readonly Portion[], axes: Axes): Amounts {
  const total = new Array<number>(axes.length).fill(0);
  for (const { group, left } of portions) {
    for (let axis = 0; axis < total.length; axis++) {
      total[axis] = (total[axis] ?? 0) + (group.amounts[axis] ?? 0) * left;
    }
  }
  return total;
}
