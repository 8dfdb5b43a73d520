import { HOSTNAME } from '#lib/model/labels.ts';
import type { TopologyRule } from './rule.ts';
import type { Part } from './rules.ts';

/**
 * A node as rules see it: by topology key the values that it has, or may come to have. One value
 * is certain; none means that it has no such label.
 */
export type Place = ReadonlyMap<string, readonly string[]>;

/** Whether pods on a place count for a spread, which may look at some nodes only. */
export type Counting = 'surely' | 'maybe' | 'never';

/** How many pods of one rule stand in which domain. */
interface Tally {
  /** Pods that certainly count there. */
  readonly sure: Map<string, number>;
  /** Pods that count there or may come to; never less than `sure`. */
  readonly possible: Map<string, number>;
  /** Pods that own the rule. */
  readonly owners: Map<string, number>;
  /** Of a spread: the domains whose emptiness counts; wherever its pods stand there is one. */
  readonly domains: Set<string>;
  /** Those among them in which a node is there, or pods are. */
  readonly real: Set<string>;
  /** Of an affinity: all pods that it selects where one of its terms' labels is. */
  selected: number;
  /** Of an affinity: whether an owner may be the first that the rule selects. */
  mayBegin: boolean;
}

/** Which pods stand where, in the eyes of all rules over anything but the hostname. */
export interface Census {
  /** Counts `times` more pods that are to rules what `parts` say. */
  readonly record: (
    parts: readonly Part[],
    place: Place,
    times?: number,
    countingFor?: (rule: TopologyRule) => Counting,
  ) => void;
  /** The first rule by which one more such pod may not stand there; undefined if it may. */
  readonly objection: (parts: readonly Part[], place: Place, allowed: Allowed) => Part | undefined;
  /** Whether one more such pod would leave owners of a spread in a domain that is too full. */
  readonly crowdsOthers: (parts: readonly Part[], place: Place) => boolean;
  /** How many pods of the spreads that select such a pod may stand there by now. */
  readonly crowd: (parts: readonly Part[], place: Place) => number;
  /** How many pods of the rule stand in a domain, at most. */
  readonly countIn: (rule: TopologyRule, domain: string) => number;
  /** In how many domains owners of a spread stand that others have made too full since. */
  readonly crowded: () => number;
  /** Lets owners of affinities be the first after all: those who were to go before them cannot. */
  readonly relent: () => void;
  /** A node that is there or to be: wherever it may stand, emptiness counts for spreads. */
  readonly addNode: (place: Place, countingFor: (rule: TopologyRule) => Counting) => void;
  /** Whether such a node, with one such pod, would leave owners of a spread in too full a domain. */
  readonly strandsOwners: (
    parts: readonly Part[],
    place: Place,
    countingFor: (rule: TopologyRule) => Counting,
  ) => boolean;
}

/**
 * Whether a pod's own node selector and affinity allow a value of a topology key; `isReal` says
 * whether there is a node with it, or only could be.
 */
export type Allowed = (topologyKey: string, value: string, isReal: boolean) => boolean;

/**
 * An empty census of `rules`. Owners of the affinities in `sought` wait for somebody else to be
 * there first: the scheduler may bind those before them, and then lets nobody begin elsewhere.
 *
 * Source: karpenter v1.14, provisioning/scheduling/topologygroup.go. There a pod whose node may
 * be in several domains does not count; here it counts wherever that makes a rule harder to keep.
 * Bootstrapping an affinity follows kubernetes v1.36, interpodaffinity/filtering.go,
 * satisfyPodAffinity: the first of its kind anywhere, not the first that this pod could reach.
 */
export function createCensus(
  rules: readonly TopologyRule[],
  domainsOf: (rule: TopologyRule) => readonly string[],
  sought: ReadonlySet<TopologyRule>,
): Census {
  const tallies = new Map<TopologyRule, Tally>(
    rules.map((rule) => [
      rule,
      {
        sure: new Map(),
        possible: new Map(),
        owners: new Map(),
        domains: new Set(rule.kind === 'spread' ? domainsOf(rule) : []),
        real: new Set(),
        selected: 0,
        mayBegin: !sought.has(rule),
      },
    ]),
  );
  return {
    record: (parts, place, times = 1, countingFor = alwaysCounts) => {
      for (const part of parts) {
        const tally = tallies.get(part.rule);
        const values = place.get(part.rule.topologyKey) ?? NOWHERE;
        if (!tally) continue;
        const isSomewhere = part.rule.termKeys.some((key) => key === HOSTNAME || place.has(key));
        if (part.selected && isSomewhere) tally.selected += times;
        count(part, tally, values, { times, counting: countingFor(part.rule) });
      }
    },
    objection: (parts, place, allowed) =>
      parts.find((part) => {
        const tally = tallies.get(part.rule);
        return tally !== undefined && !admits(part, tally, place, allowed);
      }),
    crowdsOthers: (parts, place) =>
      parts.some(({ rule, owns, selected }) => {
        const tally = tallies.get(rule);
        if (rule.kind !== 'spread' || owns || !selected || !tally) return false;
        const least = emptiest(rule, tally);
        return (place.get(rule.topologyKey) ?? NOWHERE).some(
          (value) =>
            (tally.owners.get(value) ?? 0) > 0 &&
            (tally.possible.get(value) ?? 0) + 1 - least > rule.maxSkew,
        );
      }),
    crowd: (parts, place) => {
      let crowd = 0;
      for (const { rule } of parts) {
        const tally = rule.kind === 'spread' ? tallies.get(rule) : undefined;
        for (const value of place.get(rule.topologyKey) ?? NOWHERE) {
          crowd += tally?.possible.get(value) ?? 0;
        }
      }
      return crowd;
    },
    countIn: (rule, domain) => tallies.get(rule)?.possible.get(domain) ?? 0,
    crowded: () => [...tallies].reduce((sum, [rule, tally]) => sum + crowdedBy(rule, tally), 0),
    relent: () => {
      for (const tally of tallies.values()) tally.mayBegin = true;
    },
    addNode: (place, countingFor) => {
      for (const [rule, { domains, real }] of tallies) {
        if (rule.kind !== 'spread' || countingFor(rule) === 'never') continue;
        for (const value of place.get(rule.topologyKey) ?? NOWHERE) {
          domains.add(value);
          real.add(value);
        }
      }
    },
    strandsOwners: (parts, place, countingFor) =>
      [...tallies].some(([rule, tally]) => {
        if (rule.kind !== 'spread' || tally.owners.size === 0) return false;
        const counting = countingFor(rule);
        const values = place.get(rule.topologyKey) ?? NOWHERE;
        const isCertain = values.length === 1 && counting === 'surely';
        const counts = isCertain && parts.some((part) => part.rule === rule && part.selected);
        return counting !== 'never' && strands(rule, tally, values, counts ? 1 : 0);
      }),
  };
}

function count(
  { owns, selected }: Part,
  tally: Tally,
  values: readonly string[],
  { times, counting }: { readonly times: number; readonly counting: Counting },
): void {
  if (owns) for (const value of values) add(tally.owners, value, times);
  if (!selected) return;
  if (counting === 'never') return;
  for (const value of values) add(tally.possible, value, times);
  const [only] = values;
  const isCertain = values.length === 1 && counting === 'surely';
  if (only === undefined || !isCertain) return;
  add(tally.sure, only, times);
  tally.domains.add(only);
  tally.real.add(only);
}

const NOWHERE: readonly string[] = [];

const alwaysCounts = (): Counting => 'surely';

const everyValue: Allowed = () => true;

const add = (counts: Map<string, number>, value: string, times: number): void => {
  counts.set(value, (counts.get(value) ?? 0) + times);
};

function admits(
  { rule, owns, selected }: Part,
  tally: Tally,
  place: Place,
  allowed: Allowed,
): boolean {
  const values = place.get(rule.topologyKey) ?? NOWHERE;
  switch (rule.kind) {
    case 'spread':
      return !owns || spreads(rule, tally, values, { selected, allowed });
    case 'affinity':
      return !owns || joins(tally, values, selected);
    case 'antiAffinity':
      return values.every(
        (value) =>
          !(owns && (tally.possible.get(value) ?? 0) > 0) &&
          !(selected && (tally.owners.get(value) ?? 0) > 0),
      );
  }
}

function spreads(
  rule: TopologyRule,
  tally: Tally,
  values: readonly string[],
  { selected, allowed }: { readonly selected: boolean; readonly allowed: Allowed },
): boolean {
  const [value] = values;
  if (value === undefined || values.length > 1) return false;
  const one = selected ? 1 : 0;
  const count = (tally.possible.get(value) ?? 0) + one;
  // Where even the fullest allowed height is not reached there is no need to look at the others.
  if (count <= rule.maxSkew) return true;
  return count - emptiest(rule, tally, { allowed, beside: value }) <= rule.maxSkew;
}

/** Which domains are compared: all that are allowed, and that of the newcomer in any case. */
interface Comparison {
  readonly allowed: Allowed;
  /** A domain that is no emptier than itself, wherever those stand whose domain is uncertain. */
  readonly beside?: string;
}

const EVERYWHERE: Comparison = { allowed: everyValue };

/** How many pods the emptiest domain has that a pod may use. Cost: the domains. */
function emptiest(
  { topologyKey, minDomains, filter: { looksEverywhere } }: TopologyRule,
  tally: Tally,
  { allowed, beside }: Comparison = EVERYWHERE,
): number {
  let least = Number.POSITIVE_INFINITY;
  let domains = beside === undefined ? 0 : 1;
  for (const domain of tally.domains) {
    if (domain === beside) continue;
    if (!looksEverywhere && !allowed(topologyKey, domain, tally.real.has(domain))) continue;
    domains += 1;
    least = Math.min(least, tally.sure.get(domain) ?? 0);
  }
  return domains < Math.max(1, minDomains) ? 0 : least;
}

function crowdedBy(rule: TopologyRule, tally: Tally): number {
  if (rule.kind !== 'spread') return 0;
  const least = emptiest(rule, tally);
  return [...tally.owners.keys()].filter(
    (domain) => (tally.possible.get(domain) ?? 0) - least > rule.maxSkew,
  ).length;
}

/** Whether owners are in too full a domain once each of `values` has `more` pods and a node. */
const strands = (
  { maxSkew }: TopologyRule,
  { owners, possible, sure, real }: Tally,
  values: readonly string[],
  more: number,
): boolean =>
  values.some(
    (value) =>
      !real.has(value) &&
      [...owners.keys()].some(
        (domain) =>
          domain !== value && (possible.get(domain) ?? 0) - (sure.get(value) ?? 0) - more > maxSkew,
      ),
  );

function joins(tally: Tally, values: readonly string[], selected: boolean): boolean {
  const [value] = values;
  if (value === undefined || values.length > 1) return false;
  if ((tally.sure.get(value) ?? 0) > 0) return true;
  return selected && tally.mayBegin && tally.selected === 0;
}
