import type { Pod } from '#lib/model/pod.ts';
import type { HostPacking } from '../hosts/host-packing.ts';
import type { AskLevel } from '../pods/ask.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { take, type Waiting, waitingOf } from '../pods/waiting.ts';
import { type Cell, cellsOf, createNarrowing, type Narrowing } from './cells.ts';
import type { Allowed, Census, Counting } from './census.ts';
import { circleAmong } from './circle.ts';
import { countingIn } from './counting.ts';
import { createOffers, type Offer, type OfferContext, type Offers, takersOf } from './offer.ts';
import type { TopologyRule } from './rule.ts';
import type { Part } from './rules.ts';
import type { Topology } from './topology.ts';

/** Pods that have been told in which domains to stand: rules over domains have had their say. */
export interface Assigned {
  /** The pods as a group that asks for its cell and heeds only rules over the hostname. */
  readonly group: PodGroup;
  readonly cell: Cell;
  /** Of which group how many of them came, in the order in which they came. */
  readonly from: ReadonlyMap<PodGroup, number>;
}

/** How many pods of a group at most may be sent to a cell, by the cell's text. */
export type Caps = ReadonlyMap<PodGroup, ReadonlyMap<string, number>>;

/** In Caps, what holds for each cell of a group. */
export const EVERY_CELL = '*';

/**
 * How pods use the freedom that rules leave: `even` sends each to the emptiest domain, `packed` to
 * where most of the others went, which takes fewer nodes when there are few pods.
 */
export type Manner = 'even' | 'packed';

/** What assigning needs to know. */
export interface AssignContext extends OfferContext {
  readonly manner: Manner;
  readonly topology: Topology;
  readonly census: Census;
  readonly onHosts: HostPacking;
  /** What earlier attempts have shown not to go further. */
  readonly caps: Caps;
}

/** A cell as one group sees it. */
interface Option extends Offer {
  readonly cell: Cell;
  /** The group as it is there. */
  readonly group: PodGroup;
  readonly countingFor: (rule: TopologyRule) => Counting;
  /** How many pods more may be sent there. */
  cap: number;
  /** How many pods more have room on nodes that are there. */
  room: number;
}

/** A group that waits for its domains. */
interface Applicant {
  readonly waiting: Waiting;
  readonly options: readonly Option[];
  readonly allowed: Allowed;
  readonly isOwner: boolean;
}

/**
 * Takes the pods of `waiting` out of their groups and tells them where to stand, as far as rules
 * over domains allow; who finds no place stays. What rules count is kept even, so that they hold
 * when everything stands: whoever a spread counts goes where fewest are, owners where they may.
 *
 * Owners go before those that rules merely count, and those with the fewest options first; who
 * depends on others is tried again after them.
 *
 * Cost: pods × their cells × their rules.
 */
export function assignDomains(
  waiting: readonly Waiting[],
  context: AssignContext,
): readonly Assigned[] {
  const memory = { narrowing: createNarrowing(), offers: createOffers(context) };
  const circle = circleAmong(waiting.map(({ group }) => group));
  const applicants = waiting
    .filter(({ left, group }) => left.length > 0 && group.standing.byDomain.length > 0)
    .map((each) => applicantOf(each, circle.has(each.group), memory, context))
    .map((applicant, place) => ({ applicant, place }))
    .sort(
      (a, b) =>
        Number(b.applicant.isOwner) - Number(a.applicant.isOwner) ||
        a.applicant.options.length - b.applicant.options.length ||
        a.place - b.place,
    )
    .map(({ applicant }) => applicant);
  const sent = new Map<string, Sent>();
  const withUsage = { ...context, usage: noUsage() };
  const sendWhileSome = (): void => {
    for (let before = -1; before !== countLeft(applicants); ) {
      before = countLeft(applicants);
      for (const applicant of applicants) sendAll(applicant, applicants, sent, withUsage);
    }
  };
  sendWhileSome();
  context.census.relent();
  sendWhileSome();
  return [...sent.values()].map(({ pods, from, option: { group, cell } }) => {
    const [sample = group.sample] = pods;
    return { group: { ...group, pods, sample }, cell, from };
  });
}

/** How many pods were sent to cells that share values with a cell, whatever group they are of. */
interface Usage {
  readonly of: (cell: Cell) => number;
  readonly add: (cell: Cell) => void;
}

function noUsage(): Usage {
  const counts = new Map<string, number>();
  return {
    of: ({ values }) => values.reduce((sum, value) => sum + (counts.get(value) ?? 0), 0),
    add: ({ values }) => {
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    },
  };
}

/** Pods that go to one cell and that only rules over domains could have told apart. */
interface Sent {
  readonly option: Option;
  readonly pods: Pod[];
  readonly from: Map<PodGroup, number>;
}

const countLeft = (applicants: readonly Applicant[]): number =>
  applicants.reduce((sum, { waiting }) => sum + waiting.left.length, 0);

/** The group when rules over domains have had their say. */
const groupInCell = (group: PodGroup, levels: readonly AskLevel[], cell: Cell): PodGroup => ({
  ...group,
  levels,
  standing: { ...group.standing, byDomain: [], byDomainText: '' },
  likeness: `${group.likeness} ${cell.text}`,
});

function sendAll(
  applicant: Applicant,
  all: readonly Applicant[],
  sent: Map<string, Sent>,
  context: AssignContext & { readonly usage: Usage },
): void {
  const { waiting } = applicant;
  const { group } = waiting;
  const counts = new Map<Option, number>();
  for (const option of applicant.options) option.room = context.onHosts.roomFor(option.group);
  for (let left = waiting.left.length; left > 0; left--) {
    const option = bestOption(applicant, all, context);
    if (!option) break;
    option.cap -= 1;
    option.room -= 1;
    counts.set(option, (counts.get(option) ?? 0) + 1);
    const { cell, countingFor } = option;
    context.usage.add(cell);
    context.census.record(group.standing.byDomain, cell.place, 1, countingFor);
  }
  for (const [option, count] of counts) {
    const key = `${group.likeness} ${option.cell.text}`;
    const known: Sent = sent.get(key) ?? { option, pods: [], from: new Map() };
    sent.set(key, known);
    const going = waitingOf({ ...option.group, pods: take(waiting, count) });
    // Others judge by the room that is left on nodes that are there.
    context.onHosts.place(going);
    known.pods.push(...going.left);
    known.from.set(group, (known.from.get(group) ?? 0) + count);
  }
}

/** The best cell that rules leave open: see `rank` for what is better. */
function bestOption(
  applicant: Applicant,
  all: readonly Applicant[],
  context: AssignContext & { readonly usage: Usage },
): Option | undefined {
  const parts = applicant.waiting.group.standing.byDomain;
  let best: Option | undefined;
  let bestRank: readonly number[] = [];
  for (const option of applicant.options) {
    if (option.cap < 1) continue;
    if (context.census.objection(parts, option.cell.place, applicant.allowed)) continue;
    const rank = rankOf(option, parts, all, context);
    if (best && !isLower(rank, bestRank)) continue;
    [best, bestRank] = [option, rank];
  }
  return best;
}

/** Lower is better, the first difference decides; options that are alike stay in order. */
function rankOf(
  { cell, level, price, room, weight }: Option,
  parts: readonly Part[],
  all: readonly Applicant[],
  { census, manner, usage }: AssignContext & { readonly usage: Usage },
): readonly number[] {
  return [
    census.crowdsOthers(parts, cell.place) ? 1 : 0,
    level,
    room > 0 ? 0 : 1,
    -weight,
    manner === 'even' ? census.crowd(parts, cell.place) : -usage.of(cell),
    -followersIn(cell, parts, all, census),
    price,
  ];
}

function isLower(a: readonly number[], b: readonly number[]): boolean {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}

/** How many pods wait for the first of an affinity whom they could follow to this cell. */
function followersIn(
  cell: Cell,
  parts: readonly Part[],
  all: readonly Applicant[],
  census: Census,
): number {
  const begins = parts.filter(({ rule, selected }) => {
    const [value = ''] = cell.place.get(rule.topologyKey) ?? [];
    return selected && rule.kind === 'affinity' && census.countIn(rule, value) === 0;
  });
  if (begins.length === 0) return 0;
  return all
    .filter((applicant) => begins.some(({ rule }) => couldFollow(applicant, rule, cell)))
    .reduce((sum, { waiting }) => sum + waiting.left.length, 0);
}

const couldFollow = (
  { waiting, options }: Applicant,
  rule: TopologyRule,
  { place }: Cell,
): boolean =>
  waiting.group.standing.byDomain.some((part) => part.owns && part.rule === rule) &&
  options.some(
    ({ cell }) => cell.place.get(rule.topologyKey)?.[0] === place.get(rule.topologyKey)?.[0],
  );

function applicantOf(
  waiting: Waiting,
  isInCircle: boolean,
  { narrowing, offers }: { readonly narrowing: Narrowing; readonly offers: Offers },
  context: AssignContext,
): Applicant {
  const { group } = waiting;
  const { topology, sources, caps } = context;
  const options = cellsOf(group, topology, sources).flatMap((cell): Option[] => {
    const cap = capOf(group, cell, caps);
    const inCell = groupInCell(group, narrowing.levelsIn(group.levels, cell), cell);
    const offer = cap < 1 ? undefined : offers(inCell);
    const counting = countingIn(group, cell, () => takersOf(inCell, context));
    const countingFor = (rule: TopologyRule): Counting =>
      rule.kind === 'affinity' && isInCircle ? 'maybe' : counting(rule);
    return offer ? [{ cell, group: inCell, ...offer, cap, room: 0, countingFor }] : [];
  });
  return {
    waiting,
    options,
    allowed: topology.allowedTo(group.sample),
    isOwner: group.standing.byDomain.some(({ owns }) => owns),
  };
}

const capOf = (group: PodGroup, { text }: Cell, caps: Caps): number => {
  const cells = caps.get(group);
  return cells?.get(EVERY_CELL) ?? cells?.get(text) ?? Number.POSITIVE_INFINITY;
};
