import type { Admissions } from '../admission.ts';
import { mostPerNode, type PodGroup } from '../pods/pod-groups.ts';
import { mostBy, type NodeContext } from '../topology/node-rules.ts';
import { joinDraft, type NodeClaimDraft, narrowDraft } from './draft.ts';
import type { Kind, Lineup, Portion } from './lineup.ts';

/** What filling needs to know beside the draft. */
export interface FillingContext extends Pick<NodeContext, 'mayBegin'> {
  readonly admissions: Admissions;
}

/**
 * A draft that is filled in place. The rules are those of joinDraft, kept as running sums; pods for
 * which sums will not do join by joinDraft itself.
 */
export interface Filling {
  /** What is left of each resource. */
  readonly free: Float64Array;
  /** How many pods of each portion of the lineup are on it. */
  readonly counts: Int32Array;
  readonly lineup: Lineup;
  readonly context: FillingContext;
  /** How many pods on it each rule over the hostname selects, and how many own it. */
  readonly tallies: readonly { selected: number; owners: number }[];
  /** For each kind what is known of it: TURNED_AWAY holds for good, WELCOME for this `admission`. */
  readonly verdicts: Int8Array;
  /** The draft before the pods of `joined` came. */
  base: NodeClaimDraft;
  /** What is left of choices with them. */
  admission: NodeClaimDraft['admission'];
  shape: NodeClaimDraft['shape'];
  /** Places of portions, in the order in which their pods came. */
  joined: number[];
}

/** A filling that begins with what `draft` holds. */
export function createFilling(
  draft: NodeClaimDraft,
  lineup: Lineup,
  context: FillingContext,
): Filling {
  const filling: Filling = {
    free: new Float64Array(draft.used.length),
    counts: new Int32Array(lineup.portions.length),
    lineup,
    context,
    tallies: Array.from({ length: lineup.rules.size }, () => ({ selected: 0, owners: 0 })),
    verdicts: new Int8Array(lineup.ofKind.length),
    base: draft,
    admission: draft.admission,
    shape: draft.shape,
    joined: [],
  };
  load(filling, draft);
  return filling;
}

function load(filling: Filling, draft: NodeClaimDraft): void {
  const { free, counts, lineup, tallies } = filling;
  filling.base = draft;
  filling.admission = draft.admission;
  filling.shape = draft.shape;
  filling.joined = [];
  forgetWelcome(filling.verdicts);
  const { roomAmounts } = draft.shape.sourceType;
  for (let axis = 0; axis < free.length; axis++) {
    free[axis] = (roomAmounts[axis] ?? 0) - (draft.used[axis] ?? 0);
  }
  for (const tally of tallies) {
    tally.selected = 0;
    tally.owners = 0;
  }
  for (const [group, count] of draft.counts) {
    const at = lineup.placeOf(group);
    if (at !== undefined) counts[at] = count;
    for (const part of group.standing.byNode) {
      tallyUp(tallies[lineup.rules.get(part.rule) ?? -1], part, count);
    }
  }
}

/** The draft with everybody who has joined so far. */
export function filledDraft(filling: Filling): NodeClaimDraft {
  const { base, admission, shape, joined, free, counts, lineup } = filling;
  if (joined.length === 0) return base;
  const held = new Map(base.counts);
  for (const at of joined) {
    const portion = lineup.portions[at];
    if (portion) held.set(portion.group, counts[at] ?? 0);
  }
  const { roomAmounts } = shape.sourceType;
  const used = roomAmounts.map((most, axis) => most - (free[axis] ?? 0));
  const draft = { ...base, admission, shape, used, counts: held };
  filling.base = draft;
  filling.joined = [];
  return draft;
}

/**
 * Lets as many pods of the portion at this place join as go in, at most `most`, and tells how many.
 *
 * Cost: the portion's rules; more only for pods with host ports or volumes, and minValues.
 */
export function joinFilling(filling: Filling, at: number, most: number): number {
  const { free, lineup } = filling;
  const kind = lineup.kinds[at] ?? 0;
  if (filling.verdicts[kind] === TURNED_AWAY) return 0;
  const portion = lineup.portions[at];
  let joining = Math.min(most, timesFree(free, lineup.amounts, at * free.length));
  if (joining < 1 || !portion) return 0;
  if (filling.base.admission.source.hasMinValues || !isPlain(portion.group)) {
    return joinExactly(filling, portion, most);
  }
  joining = Math.min(joining, mostByRules(filling, kind));
  if (joining < 1 || !isWelcome(filling, kind)) return 0;
  put(filling, at, joining);
  return joining;
}

/** How many pods of a kind rules over the hostname let join. */
function mostByRules({ lineup, tallies, context, verdicts }: Filling, kind: number): number {
  const { parts, isFinal } = lineup.ofKind[kind] ?? NO_KIND;
  let most = Number.POSITIVE_INFINITY;
  for (let place = 0; place < parts.length && most > 0; place++) {
    const numbered = parts[place];
    const there = numbered && tallies[numbered.rule];
    if (there) most = Math.min(most, mostBy(numbered.part, there, context));
  }
  if (most < 1 && isFinal) verdicts[kind] = TURNED_AWAY;
  return most;
}

const NO_KIND: Kind = { asks: [], parts: [], isFinal: false };

/** How many times the amounts that begin at `from` go into what is free. */
function timesFree(free: Float64Array, amounts: Float64Array, from: number): number {
  let times = Number.POSITIVE_INFINITY;
  for (let axis = 0; axis < free.length; axis++) {
    const asked = amounts[from + axis] ?? 0;
    if (asked > 0) times = Math.min(times, Math.floor((free[axis] ?? 0) / asked));
  }
  return times;
}

/** Whether amounts, asks and rules over the hostname alone tell how many pods can join. */
const isPlain = (group: PodGroup): boolean =>
  mostPerNode(group) === Number.POSITIVE_INFINITY && group.attachments.key === '';

function joinExactly(filling: Filling, { group, asks }: Portion, most: number): number {
  const before = filledDraft(filling);
  const after = joinDraft(before, group, asks, { most, ...filling.context });
  if (!after) return 0;
  load(filling, after);
  return (after.counts.get(group) ?? 0) - (before.counts.get(group) ?? 0);
}

const WELCOME = 1;
const TURNED_AWAY = 2;

function forgetWelcome(verdicts: Int8Array): void {
  for (let kind = 0; kind < verdicts.length; kind++) {
    if (verdicts[kind] === WELCOME) verdicts[kind] = 0;
  }
}

/** Whether the choices that are left admit pods of a kind; leaves those that remain with them. */
function isWelcome(filling: Filling, kind: number): boolean {
  const { verdicts, lineup, base, admission, shape, context } = filling;
  const verdict = verdicts[kind];
  if (verdict !== 0) return verdict === WELCOME;
  const { asks } = lineup.ofKind[kind] ?? NO_KIND;
  const { usdPerHour } = base;
  const narrowed = narrowDraft({ admission, shape, usdPerHour }, asks, context.admissions);
  if (narrowed && narrowed.admission !== admission) {
    filling.admission = narrowed.admission;
    filling.shape = narrowed.shape;
    forgetWelcome(verdicts);
  }
  verdicts[kind] = narrowed ? WELCOME : TURNED_AWAY;
  return narrowed !== undefined;
}

function put({ free, counts, lineup, tallies, joined }: Filling, at: number, count: number): void {
  for (let axis = 0; axis < free.length; axis++) {
    free[axis] = (free[axis] ?? 0) - (lineup.amounts[at * free.length + axis] ?? 0) * count;
  }
  const { parts } = lineup.ofKind[lineup.kinds[at] ?? 0] ?? NO_KIND;
  for (let place = 0; place < parts.length; place++) {
    const numbered = parts[place];
    if (numbered) tallyUp(tallies[numbered.rule], numbered.part, count);
  }
  counts[at] = (counts[at] ?? 0) + count;
  joined.push(at);
}

function tallyUp(
  tally: Filling['tallies'][number] | undefined,
  { selected, owns }: { readonly selected: boolean; readonly owns: boolean },
  count: number,
): void {
  if (!tally) return;
  if (selected) tally.selected += count;
  if (owns) tally.owners += count;
}
