import type { Admissions } from './admission.ts';
import { type Amounts, type Axes, worth } from './amounts.ts';
import type { Ask } from './ask.ts';
import { joinDraft, type NodeClaimDraft } from './draft.ts';
import type { PodGroup } from './pod-groups.ts';
import type { Prices } from './prices.ts';
import type { NodeContext } from './topology/node-rules.ts';

/** Pods of one group that still need a node, and what they ask for at present. */
export interface Portion {
  readonly group: PodGroup;
  readonly asks: readonly Ask[];
  readonly left: number;
}

/** What filling needs to know beside the draft. */
export interface FillContext extends Pick<NodeContext, 'mayBegin'> {
  readonly axes: Axes;
  readonly admissions: Admissions;
  readonly prices: Prices;
  /** What a node should carry most for: a dollar, or a share of what limits leave its NodePool. */
  readonly economy: Economy;
}

export type Economy = 'dollars' | 'limits';

/** A pod belongs in a market where its resources are worth at most this much more than itself. */
const NATIVE_SHARE = 0.97;

/**
 * `draft` with one pod of `seed` and then as much of `portions` as goes in, dearest first, or
 * undefined where the seed itself does not fit. Portions are sorted by worth, dearest first.
 *
 * For dollars, pods that would be no cheaper elsewhere come first; the rest fills what they leave. Of cpu and
 * memory, the one of which a larger part is free decides which pods are next, so that neither
 * runs out long before the other.
 *
 * Cost: portions, times two, for each of the two rounds.
 */
export function fillDraft(
  draft: NodeClaimDraft,
  seed: Portion,
  portions: readonly Portion[],
  context: FillContext,
): NodeClaimDraft | undefined {
  const seeded = joinDraft(draft, seed.group, seed.asks, { most: 1, ...context });
  return seeded && topUp(seeded, portions, context);
}

/** `draft` with as much of `portions` as goes in beside what it holds, as fillDraft has it. */
export function topUp(
  draft: NodeClaimDraft,
  portions: readonly Portion[],
  context: FillContext,
): NodeClaimDraft {
  if (context.economy === 'limits') return inOrder(draft, portions, context);
  const [cheapest] = draft.shape.offerings;
  const here = (cheapest && context.prices.pricesAt(cheapest)) ?? [];
  const natives = portions.filter(
    ({ group }) => context.prices.worthOf(group) >= NATIVE_SHARE * worth(here, group.amounts),
  );
  return balance(balance(draft, natives, context), portions, context);
}

/** The draft with as much of each portion as goes in, one after the other: the first are served. */
const inOrder = (
  draft: NodeClaimDraft,
  portions: readonly Portion[],
  context: FillContext,
): NodeClaimDraft =>
  portions.reduce((filled, { group, asks, left }) => {
    const most = left - (filled.counts.get(group) ?? 0);
    return joinDraft(filled, group, asks, { most, ...context }) ?? filled;
  }, draft);

/** The two resources that nodes are balanced over. */
const SIDES = ['cpu', 'memory'] as const;

function balance(
  draft: NodeClaimDraft,
  portions: readonly Portion[],
  context: FillContext,
): NodeClaimDraft {
  const sides = SIDES.map((name) => context.axes.indexOf(name));
  const room = draft.shape.sourceType.roomAmounts;
  // Room only shrinks: what does not fit once need not be tried again, so cursors only move on.
  const cursors = sides.map(() => 0);
  let filled = draft;
  for (;;) {
    const free = sides.map((axis) => freeShare(room, filled.used, axis));
    const roomier = (free[0] ?? 0) >= (free[1] ?? 0) ? 0 : 1;
    const joined =
      next(filled, roomier, { portions, cursors, sides, context }) ??
      next(filled, 1 - roomier, { portions, cursors, sides, context });
    if (!joined) return filled;
    filled = joined;
  }
}

interface Scan {
  readonly portions: readonly Portion[];
  readonly cursors: number[];
  readonly sides: readonly number[];
  readonly context: FillContext;
}

/** The draft with copies of the dearest portion that leans to `side` and fits; or undefined. */
function next(draft: NodeClaimDraft, side: number, scan: Scan): NodeClaimDraft | undefined {
  const { portions, cursors, sides, context } = scan;
  const room = draft.shape.sourceType.roomAmounts;
  for (let at = cursors[side] ?? 0; at < portions.length; at++) {
    cursors[side] = at;
    const portion = portions[at];
    if (!portion || leaning(portion.group.amounts, room, sides) !== side) continue;
    const left = portion.left - (draft.counts.get(portion.group) ?? 0);
    if (left < 1) continue;
    const most = Math.min(left, copiesUntilTipped(draft, portion.group.amounts, side, sides));
    const joined = joinDraft(draft, portion.group, portion.asks, { most, ...context });
    if (joined) return joined;
  }
  cursors[side] = portions.length;
  return undefined;
}

const freeShare = (room: Amounts, used: Amounts, axis: number): number =>
  room[axis] ? 1 - (used[axis] ?? 0) / (room[axis] ?? 1) : 0;

/** Which side takes the larger part of the node. */
function leaning(amounts: Amounts, room: Amounts, sides: readonly number[]): number {
  const [first = 0, second = 0] = sides.map((axis) => (amounts[axis] ?? 0) / (room[axis] || 1));
  return first >= second ? 0 : 1;
}

/** How many copies it takes until `side` is no longer the roomier one; at least one. */
function copiesUntilTipped(
  draft: NodeClaimDraft,
  amounts: Amounts,
  side: number,
  sides: readonly number[],
): number {
  const room = draft.shape.sourceType.roomAmounts;
  const [mine = 0, other = 0] = [sides[side] ?? 0, sides[1 - side] ?? 0];
  const ahead = freeShare(room, draft.used, mine) - freeShare(room, draft.used, other);
  const step =
    (amounts[mine] ?? 0) / (room[mine] || 1) - (amounts[other] ?? 0) / (room[other] || 1);
  if (step <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(ahead / step) + 1);
}
