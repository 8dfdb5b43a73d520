import type { Pod } from '#lib/model/pod.ts';
import type { HostPacking } from '../hosts/host-packing.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { take, type Waiting, waitingOf } from '../pods/waiting.ts';
import {
  type Applicant,
  type ApplicantContext,
  createApplicants,
  type Option,
} from './applicants.ts';
import type { Cell } from './cells.ts';
import type { Census } from './census.ts';
import type { TopologyRule } from './rule.ts';
import type { Part } from './rules.ts';

/** Pods that have been told in which domains to stand: rules over domains have had their say. */
export interface Assigned {
  /** The pods as a group that asks for its cell and heeds only rules over the hostname. */
  readonly group: PodGroup;
  readonly cell: Cell;
  /** Of which group how many of them came, in the order in which they came. */
  readonly from: ReadonlyMap<PodGroup, number>;
}

/**
 * How pods use the freedom that rules leave: `even` sends each to the emptiest domain, `packed` to
 * where most of the others went, which takes fewer nodes when there are few pods.
 */
export type Manner = 'even' | 'packed';

/** What assigning needs to know. */
export interface AssignContext extends ApplicantContext {
  readonly manner: Manner;
  readonly census: Census;
  readonly onHosts: HostPacking;
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
  const applicantOf = createApplicants(context);
  const applicants = waiting
    .filter(({ left, group }) => left.length > 0 && group.standing.byDomain.length > 0)
    .map(applicantOf)
    .map((applicant, place) => ({ applicant, place }))
    .sort(
      (a, b) =>
        Number(b.applicant.isOwner) - Number(a.applicant.isOwner) ||
        a.applicant.options.length - b.applicant.options.length ||
        a.place - b.place,
    )
    .map(({ applicant }) => applicant);
  const sending: Sending = {
    ...context,
    usage: noUsage(),
    ownersOf: ownersAmong(applicants),
    sent: [],
    sentTo: new Map(),
  };
  const sendWhileSome = (): void => {
    for (let before = -1; before !== countLeft(applicants); ) {
      before = countLeft(applicants);
      for (const applicant of applicants) {
        if (applicant.waiting.left.length > 0) sendAll(applicant, sending);
      }
    }
  };
  sendWhileSome();
  context.census.relent();
  sendWhileSome();
  return sending.sent.map(({ pods, from, option: { groupThere, cell } }) => {
    const group = groupThere();
    const [sample = group.sample] = pods;
    return { group: { ...group, pods, sample }, cell, from };
  });
}

/** What is known while pods are sent. */
interface Sending extends AssignContext {
  readonly usage: Usage;
  /** The applicants that own a rule, in their order. */
  readonly ownersOf: (rule: TopologyRule) => readonly Applicant[];
  readonly sent: Sent[];
  /** The same by the cell's text and the likeness of who was sent. */
  readonly sentTo: Map<string, Map<string, Sent>>;
}

function ownersAmong(applicants: readonly Applicant[]): Sending['ownersOf'] {
  const owners = new Map<TopologyRule, Applicant[]>();
  for (const applicant of applicants) {
    for (const { rule, owns } of applicant.waiting.group.standing.byDomain) {
      if (!owns) continue;
      const ofRule = owners.get(rule);
      if (ofRule) ofRule.push(applicant);
      else owners.set(rule, [applicant]);
    }
  }
  return (rule) => owners.get(rule) ?? NOBODY;
}

const NOBODY: readonly Applicant[] = [];

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

function sendAll(applicant: Applicant, sending: Sending): void {
  const { waiting, options } = applicant;
  const { group } = waiting;
  const { onHosts, hosts } = sending;
  if (hosts.length > 0) {
    for (const option of options) option.room = onHosts.roomFor(option.groupThere());
  }
  const withRoom = options.filter(({ room }) => room > 0);
  for (const [option, count] of countsOf(applicant, sending)) {
    const pods = take(waiting, count);
    const known = sentTo(option, group.likeness, sending);
    known.pods.push(...(withRoom.includes(option) ? leftByHosts(option, pods, sending) : pods));
    known.from.set(group, (known.from.get(group) ?? 0) + count);
  }
}

/** How many pods of an applicant go to each of its options. */
function countsOf(applicant: Applicant, sending: Sending): ReadonlyMap<Option, number> {
  const { left, group } = applicant.waiting;
  const { census, usage, manner } = sending;
  const counts = new Map<Option, number>();
  const choose = chooserFor(applicant, sending);
  for (let at = 0; at < left.length; at++) {
    const option = choose();
    if (!option) break;
    option.cap -= 1;
    option.room -= 1;
    counts.set(option, (counts.get(option) ?? 0) + 1);
    if (manner === 'packed') usage.add(option.cell);
    census.record(group.standing.byDomain, option.cell.place, 1, option.countingFor);
  }
  return counts;
}

/** Puts pods on nodes that are there; who is left. Others judge by the room that remains. */
function leftByHosts(
  option: Option,
  pods: readonly Pod[],
  { onHosts }: AssignContext,
): readonly Pod[] {
  const placing = waitingOf({ ...option.groupThere(), pods });
  onHosts.place(placing);
  return placing.left;
}

function sentTo(option: Option, likeness: string, { sent, sentTo: known }: Sending): Sent {
  const toCell = known.get(option.cell.text) ?? new Map<string, Sent>();
  known.set(option.cell.text, toCell);
  const before = toCell.get(likeness);
  if (before) return before;
  const first: Sent = { option, pods: [], from: new Map() };
  toCell.set(likeness, first);
  sent.push(first);
  return first;
}

/** Lower is better, the first difference decides; options that are alike stay in order. */
type Rank = readonly number[];

/** Chooses the best cell that rules leave open, again and again as they fill. */
function chooserFor(
  { waiting, options, allowed }: Applicant,
  { census, manner, usage, ownersOf }: Sending,
): () => Option | undefined {
  const parts = waiting.group.standing.byDomain;
  const counted = parts.filter(({ rule }) => rule.kind === 'spread');
  const awaited = parts.filter(({ rule, selected }) => selected && rule.kind === 'affinity');
  const rankOf = ({ cell, level, price, room, weight }: Option): Rank => [
    census.crowdsOthers(counted, cell.place) ? 1 : 0,
    level,
    room > 0 ? 0 : 1,
    -weight,
    manner === 'even' ? census.crowd(counted, cell.place) : -usage.of(cell),
    -followersIn(cell, awaited, { census, ownersOf }),
    price,
  ];
  const isOpen = ({ cap, cell }: Option): boolean =>
    cap >= 1 && census.objection(parts, cell.place, allowed) === undefined;
  return () => {
    const open = options.filter(isOpen);
    let best = open[0];
    if (!best || open.length === 1) return best;
    let bestRank = rankOf(best);
    for (let at = 1; at < open.length; at++) {
      const option: Option = open[at] ?? best;
      const rank = rankOf(option);
      if (isLower(rank, bestRank)) {
        best = option;
        bestRank = rank;
      }
    }
    return best;
  };
}

function isLower(a: Rank, b: Rank): boolean {
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return (a[at] ?? 0) < (b[at] ?? 0);
  }
  return false;
}

/** How many pods wait for the first of an affinity whom they could follow to this cell. */
function followersIn(
  cell: Cell,
  awaited: readonly Part[],
  { census, ownersOf }: Pick<Sending, 'census' | 'ownersOf'>,
): number {
  if (awaited.length === 0) return 0;
  const following = new Set<Applicant>();
  for (const { rule } of awaited) {
    const [value = ''] = cell.place.get(rule.topologyKey) ?? [];
    if (census.countIn(rule, value) > 0) continue;
    for (const owner of ownersOf(rule)) if (couldFollow(owner, rule, cell)) following.add(owner);
  }
  let pods = 0;
  for (const { waiting } of following) pods += waiting.left.length;
  return pods;
}

const couldFollow = ({ options }: Applicant, rule: TopologyRule, { place }: Cell): boolean =>
  options.some(
    ({ cell }) => cell.place.get(rule.topologyKey)?.[0] === place.get(rule.topologyKey)?.[0],
  );
