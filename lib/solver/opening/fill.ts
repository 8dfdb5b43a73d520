import type { Admissions } from '../admission.ts';
import type { Axes } from '../amounts.ts';
import type { Prices } from '../prices/prices.ts';
import type { NodeContext } from '../topology/node-rules.ts';
import { joinDraft, type NodeClaimDraft } from './draft.ts';
import { createFilling, type Filling, filledDraft, joinFilling } from './filling.ts';
import { BLOCK, type Lineup, type Portion } from './lineup.ts';

/** What filling needs to know beside the draft. */
export interface FillContext extends Pick<NodeContext, 'mayBegin'> {
  readonly axes: Axes;
  readonly admissions: Admissions;
  readonly prices: Prices;
  /** What a node should carry most for: a dollar, or a share of what limits leave its NodePool. */
  readonly economy: Economy;
}

export type Economy = 'dollars' | 'limits';

/**
 * `draft` with one pod of `seed` and then as much of the lineup as goes in, dearest first, or
 * undefined where the seed itself does not fit.
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
  lineup: Lineup,
  context: FillContext,
): NodeClaimDraft | undefined {
  const seeded = joinDraft(draft, seed.group, seed.asks, { most: 1, ...context });
  return seeded && topUp(seeded, lineup, context);
}

/** `draft` with as much of the lineup as goes in beside what it holds, as fillDraft has it. */
export function topUp(draft: NodeClaimDraft, lineup: Lineup, context: FillContext): NodeClaimDraft {
  const filling = createFilling(draft, lineup, context);
  if (context.economy === 'limits') fillInOrder(filling);
  else {
    const cheapest = draft.shape.offerings[0];
    const here = (cheapest && context.prices.pricesAt(cheapest)) ?? [];
    const natives = lineup.nativesAt(here);
    balance(filling, natives);
    // Where all are natives, who did not fit does not fit now, unless others came whom he follows.
    if (natives || lineup.haveFollowers) balance(filling);
  }
  return filledDraft(filling);
}

/** Lets as much of each portion join as goes in, one after the other: the first are served. */
function fillInOrder(filling: Filling): void {
  const { counts, lineup } = filling;
  const { left } = lineup;
  for (let at = 0; at < left.length; at++) {
    const most = (left[at] ?? 0) - (counts[at] ?? 0);
    if (most > 0) joinFilling(filling, at, most);
  }
}

/**
 * Lets portions join, of cpu and memory those first that lean to the one of which a larger part is
 * free; of all, or of those that are marked by 1. Room only shrinks: what did not fit once is not
 * tried again, so that cursors only move on.
 */
function balance(filling: Filling, among?: Uint8Array): void {
  const { lineup, shape } = filling;
  const { roomAmounts } = shape.sourceType;
  const { cpu, memory } = lineup;
  const scan: Scan = {
    filling,
    among,
    cpuShare: 1 / (roomAmounts[cpu] || 1),
    memoryShare: 1 / (roomAmounts[memory] || 1),
    cursors: [0, 0],
  };
  for (;;) {
    const side = aheadBy(scan) >= 0 ? CPU : MEMORY;
    if (!next(side, scan) && !next(side === CPU ? MEMORY : CPU, scan)) return;
  }
}

interface Scan {
  readonly filling: Filling;
  /** The portions that may join, marked by 1; undefined: all. */
  readonly among: Uint8Array | undefined;
  /** What part of the node a unit of cpu is, and one of memory. */
  readonly cpuShare: number;
  readonly memoryShare: number;
  /** For each side the first portion that might still fit. */
  readonly cursors: [number, number];
}

/** The side of the node that a pod takes more of: a place in the cursors. */
type Side = 0 | 1;
const CPU = 0;
const MEMORY = 1;

/** By how much a larger part of the cpu than of the memory is free. */
function aheadBy({ filling, cpuShare, memoryShare }: Scan): number {
  const { free, lineup } = filling;
  return (free[lineup.cpu] ?? 0) * cpuShare - (free[lineup.memory] ?? 0) * memoryShare;
}

/**
 * Lets copies of the dearest portion that leans to `side` and fits join, until the balance tips;
 * false where there is none.
 */
function next(side: Side, scan: Scan): boolean {
  const { filling, among, cursors } = scan;
  const { left, runEnds } = filling.lineup;
  let at = cursors[side];
  while (at < left.length) {
    if (at % BLOCK === 0) at = nextBlock(at, filling);
    if (at >= left.length) break;
    const leaning = leaningOf(at, scan);
    if (leaning === undefined || leaning >= 0 !== (side === CPU)) {
      at = runEnds[at] ?? left.length;
      continue;
    }
    if (among?.[at] !== 0 && joinFilling(filling, at, copiesFor(at, leaning, scan)) > 0) {
      cursors[side] = at;
      return true;
    }
    at += 1;
  }
  cursors[side] = left.length;
  return false;
}

/**
 * By how much a pod of a portion takes a larger part of the cpu than of the memory; undefined where
 * there is not enough of both for it.
 */
function leaningOf(at: number, { filling, cpuShare, memoryShare }: Scan): number | undefined {
  const { free, lineup } = filling;
  const askedCpu = lineup.amounts[at * free.length + lineup.cpu] ?? 0;
  const askedMemory = lineup.amounts[at * free.length + lineup.memory] ?? 0;
  if (askedCpu > (free[lineup.cpu] ?? 0) || askedMemory > (free[lineup.memory] ?? 0)) {
    return undefined;
  }
  return askedCpu * cpuShare - askedMemory * memoryShare;
}

/** How many pods of a portion are to join at most until the balance tips. */
function copiesFor(at: number, leaning: number, scan: Scan): number {
  const { counts, lineup } = scan.filling;
  const waiting = (lineup.left[at] ?? 0) - (counts[at] ?? 0);
  // Mostly there is one pod, or the first of more would tip the balance.
  if (leaning === 0 || waiting <= 1) return waiting;
  return Math.min(waiting, Math.max(1, Math.floor(aheadBy(scan) / leaning) + 1));
}

/** The place of the first block from `at` on of which the smallest pod might fit. */
function nextBlock(at: number, { free, lineup }: Filling): number {
  const { smallest, left } = lineup;
  const cpu = free[lineup.cpu] ?? 0;
  const memory = free[lineup.memory] ?? 0;
  let from = at;
  while (from < left.length) {
    const block = (2 * from) / BLOCK;
    if ((smallest[block] ?? 0) <= cpu && (smallest[block + 1] ?? 0) <= memory) return from;
    from += BLOCK;
  }
  return from;
}
