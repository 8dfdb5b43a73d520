import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Admissions } from './admission.ts';
import type { Axes } from './amounts.ts';
import { placeAll } from './hosts/followers.ts';
import { type HostPacking, packHosts } from './hosts/host-packing.ts';
import type { Host } from './hosts/hosts.ts';
import type { NodeClaimDraft } from './opening/draft.ts';
import type { Economy } from './opening/fill.ts';
import { type Ledger, openLedger } from './opening/ledger.ts';
import { packNewNodes } from './opening/new-nodes.ts';
import type { SealedClaim } from './opening/seal.ts';
import { largestFirst, type PodGroup } from './pods/pod-groups.ts';
import { type Waiting, waitingOf } from './pods/waiting.ts';
import { type Corrections, corrected, withCorrections } from './prices/corrections.ts';
import type { Demand } from './prices/demand-classes.ts';
import { lowerBound } from './prices/lower-bound.ts';
import { priceOut } from './prices/prices.ts';
import { sourcesInPlay } from './prices/weights.ts';
import type { Source } from './sources.ts';
import { type AssignContext, type Assigned, assignDomains } from './topology/assign.ts';
import { type HeldBack, heldBackAmong } from './topology/held-back.ts';
import type { TopologyRule } from './topology/rule.ts';
import type { Topology } from './topology/topology.ts';
import type { Way } from './ways.ts';
import { placeOrYield } from './wishes/weigh-wishes.ts';
import { type WishGivenUp, wishesGivenUp } from './wishes/wishes.ts';

/** Groups to place, and what there is to place them on. */
export interface PackProblem {
  readonly snapshot: Snapshot;
  readonly groups: readonly PodGroup[];
  readonly hosts: readonly Host[];
  readonly sources: readonly Source[];
  readonly axes: Axes;
  /** By pod uid: the host that was made for it. */
  readonly expected: ReadonlyMap<string, string>;
  readonly topology: Topology;
}

/** Where every pod of the groups went, and what is left of them and of everything else. */
export interface Packed {
  readonly hosts: readonly Host[];
  readonly placements: ReturnType<HostPacking['placements']>;
  readonly claims: readonly SealedClaim[];
  /** What the claims were sealed from, in their order. */
  readonly drafts: readonly NodeClaimDraft[];
  /** The groups of which some pods got no place. */
  readonly left: readonly Waiting[];
  /** Of those that rules over domains keep away, or hold where there is no node: what they say. */
  readonly heldBack: ReadonlyMap<PodGroup, HeldBack>;
  readonly wishesGivenUp: readonly WishGivenUp[];
  /** See Census. */
  readonly crowded: number;
  readonly lowerBoundUsdPerHour: number;
  readonly admissions: Admissions;
  readonly ledger: Ledger;
  /** What pods are worth in the light of this plan. Cost: the pods on new nodes. */
  readonly corrections: () => Corrections;
}

/** A problem with what NodePools give, remembered over all attempts. */
export interface AdmittedProblem extends PackProblem {
  readonly admissions: Admissions;
}

/** Pods of a group that were sent to a cell and got no node there. */
export interface Missing {
  readonly group: PodGroup;
  readonly cell: string;
  /** How many did get one. */
  readonly arrived: number;
}

/** One packing, and what it shows of the conditions it was made under. */
export interface Attempt {
  readonly packed: Packed;
  readonly missing: readonly Missing[];
  /** Affinities whose owners waited for others who got no place: they may be the first after all. */
  readonly inVain: readonly TopologyRule[];
}

/** The way that is tried, and what earlier attempts have shown. */
export interface Conditions extends Way, Pick<AssignContext, 'caps'> {
  /** See createCensus. */
  readonly sought: ReadonlySet<TopologyRule>;
}

/** Packs once: existing nodes, domains, then new nodes. */
export function attempt(
  economy: Economy,
  problem: AdmittedProblem,
  { caps, manner, first, sought, pricing, corrections }: Conditions,
): Attempt {
  const { snapshot, groups, hosts, sources, axes, expected, topology, admissions } = problem;
  const census = topology.openCensus(sought);
  const begun = new Set(topology.begun);
  const mayBegin = (rule: TopologyRule): boolean => !begun.has(rule) && !sought.has(rule);
  const settle = ({ standing }: PodGroup): void => {
    for (const { rule, selected } of standing.byNode) if (selected) begun.add(rule);
  };
  const onHosts = packHosts(hosts, { topology, census, mayBegin, settle });
  const waiting = groups.map(waitingOf);
  placeAllExpected(waiting, onHosts, expected);
  const free = waiting.filter(({ group }) => group.standing.byDomain.length === 0);
  const placeFree = (each: Waiting): void => placeOrYield(each, onHosts, sources, admissions);
  placeAll(waiting, waiting, (each) => {
    const { byDomain } = each.group.standing;
    if (byDomain.length === 0) placeFree(each);
    // Whom rules merely count waits until their owners have been told where to stand.
    else if (byDomain.some(({ owns }) => owns)) onHosts.place(each);
  });
  const assigning = { topology, census, hosts, onHosts, sources, admissions, caps, manner };
  const assigned = assignDomains(waiting, assigning);
  const sent = assigned.map(({ group }) => waitingOf(group));
  placeAll(sent, [...free, ...sent], placeFree);
  const opening = openLedger(sources, snapshot);
  const toOpen = [...free, ...sent].sort((a, b) => largestFirst(a.group, b.group));
  const inPlay = sourcesInPlay(groups, { sources, admissions, ledger: opening });
  const opened = toOpen.map(({ group }) => group);
  const prices = priceOut(demandsOf(toOpen), inPlay, admissions);
  const going = (pricing === 'alternative' && prices.alternative?.()) || prices;
  const made = packNewNodes(toOpen, onHosts, opening, {
    axes,
    admissions,
    prices: withCorrections(going, corrections, opened),
    sources,
    economy,
    first,
    minValuesPolicy: snapshot.settings.minValuesPolicy,
    mayBegin,
    settle,
  });
  const groupOf = createGroupOf(groups);
  const onNewNodes = demandWithout([...waiting, ...sent], onHosts, groups, groupOf);
  const packed = {
    hosts,
    placements: onHosts.placements(),
    ...made,
    left: waiting.filter(({ left }) => left.length > 0),
    heldBack: heldBackAmong(waiting, assigning),
    wishesGivenUp: wishesGivenUp([...waiting, ...sent]),
    crowded: census.crowded(),
    lowerBoundUsdPerHour: lowerBound({
      onNewNodes,
      hosts,
      sources: inPlay,
      reservations: opening.reservations,
      // Domains were our choice: a bound on every plan must let pods go wherever they may.
      prices: sent.length === 0 ? prices : priceOut(onNewNodes, inPlay, admissions),
      admissions,
    }),
    admissions,
    corrections: () => corrected({ ...made, groups: opened, prices: going, before: corrections }),
  };
  const inVain = ownedInVain([...waiting, ...sent], { sought, begun });
  return { packed, missing: missingAmong(assigned, sent, groupOf), inVain };
}

/** Affinities whose owners got no place while they waited for others: nobody of theirs has begun. */
function ownedInVain(
  waiting: readonly Waiting[],
  { sought, begun }: Readonly<Record<'sought' | 'begun', ReadonlySet<TopologyRule>>>,
): readonly TopologyRule[] {
  const rules = waiting
    .filter(({ left }) => left.length > 0)
    .flatMap(({ group }) => group.standing.byNode)
    .filter(({ owns }) => owns)
    .map(({ rule }) => rule);
  return [...new Set(rules)].filter((rule) => sought.has(rule) && !begun.has(rule));
}

const demandsOf = (waiting: readonly Waiting[]): readonly Demand[] =>
  waiting
    .filter(({ left }) => left.length > 0)
    .map(({ group, left }) => ({ group, count: left.length }));

/** Rules let some back only after others are back, so they are asked until nothing changes. */
function placeAllExpected(
  waiting: readonly Waiting[],
  onHosts: HostPacking,
  expected: ReadonlyMap<string, string>,
): void {
  if (expected.size === 0) return;
  for (const each of waiting) onHosts.placeExpected(each, expected);
  const bound = waiting.filter(({ group }) => group.standing.byDomain.length > 0);
  for (let before = -1; before !== countLeft(bound); ) {
    before = countLeft(bound);
    for (const each of bound) onHosts.placeExpected(each, expected);
  }
}

const countLeft = (waiting: readonly Waiting[]): number =>
  waiting.reduce((sum, { left }) => sum + left.length, 0);

function missingAmong(
  assigned: readonly Assigned[],
  sent: readonly Waiting[],
  groupOf: GroupOf,
): readonly Missing[] {
  return assigned.flatMap(({ cell, from }, at): Missing[] => {
    const left = sent[at]?.left ?? [];
    if (left.length === 0) return [];
    const lost = Map.groupBy(left, groupOf);
    return [...lost].flatMap(([group, pods]) =>
      group ? [{ group, cell: cell.text, arrived: (from.get(group) ?? 0) - pods.length }] : [],
    );
  });
}

type GroupOf = (pod: Pod) => PodGroup | undefined;

/** Tells the group that a pod is of. Mostly nobody asks: every pod is on a new node. */
function createGroupOf(groups: readonly PodGroup[]): GroupOf {
  let known: ReadonlyMap<Pod, PodGroup> | undefined;
  return (pod) => {
    known ??= new Map(groups.flatMap((group) => group.pods.map((each) => [each, group])));
    return known.get(pod);
  };
}

/** The groups with the number of their pods that are neither left nor placed on hosts. */
function demandWithout(
  waiting: readonly Waiting[],
  onHosts: HostPacking,
  groups: readonly PodGroup[],
  groupOf: GroupOf,
): readonly Demand[] {
  const counts = new Map(groups.map((group) => [group, group.pods.length]));
  const discount = (pod: Pod): void => {
    const group = groupOf(pod);
    if (group) counts.set(group, (counts.get(group) ?? 0) - 1);
  };
  for (const { left } of waiting) left.forEach(discount);
  for (const { pod } of onHosts.placements()) discount(pod);
  return [...counts].flatMap(([group, count]) => (count > 0 ? [{ group, count }] : []));
}
