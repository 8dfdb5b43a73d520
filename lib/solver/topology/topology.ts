import type { Labels } from '#lib/constraints/label-selector.ts';
import { compareText } from '#lib/constraints/order.ts';
import { isCompatible, requirementsOfLabels } from '#lib/constraints/requirements.ts';
import { firstUntolerated, type Taint } from '#lib/constraints/taints.ts';
import { HOSTNAME, WELL_KNOWN } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Host, isGoing } from '../hosts/hosts.ts';
import type { LabelAsk } from '../pods/ask.ts';
import type { Source } from '../sources.ts';
import { allowedBy, type KnownValues } from './cells.ts';
import { type Census, type Counting, createCensus, type Place } from './census.ts';
import type { Domains } from './domains.ts';
import type { Residents } from './node-rules.ts';
import { type Resident, residentsOf } from './residents.ts';
import type { TopologyRule } from './rule.ts';
import type { Part, RuleBook } from './rules.ts';

/** What topology rules have to do with the nodes that are there, and with pods that run. */
export interface Topology extends KnownValues {
  /** What runs already, counted; a fresh one for each attempt at packing. See createCensus. */
  readonly openCensus: (sought: ReadonlySet<TopologyRule>) => Census;
  /** By host: its pods in the eyes of rules over the hostname. */
  readonly residentsOn: (host: Host) => ReadonlyMap<TopologyRule, Residents>;
  readonly placeOf: (host: Host) => Place;
  readonly countingOn: (host: Host) => (rule: TopologyRule) => Counting;
  /** Rules of affinity over the hostname of which somebody runs somewhere. */
  readonly begun: ReadonlySet<TopologyRule>;
}

/** What a topology is made of. */
export interface TopologyProblem {
  readonly book: RuleBook;
  readonly sources: readonly Source[];
  readonly domains: Domains;
  readonly nodes: readonly StateNode[];
  readonly hosts: readonly Host[];
  /** By node: pods that are about to be bound there. */
  readonly promised: ReadonlyMap<string, readonly Pod[]>;
  /** Uids of the pods that are being placed, or leave and cannot be, wherever they stand now. */
  readonly batch: ReadonlySet<string>;
}

/**
 * Counts what runs. Pods that have ended, are ending, or are being placed anew do not count; but
 * who is ending keeps others away until it is gone.
 *
 * Cost: running pods, if there are rules at all.
 * Source: karpenter v1.14, provisioning/scheduling/topology.go, countDomains.
 */
export function topologyOf(problem: TopologyProblem): Topology {
  const { book, domains, nodes, hosts } = problem;
  const overDomains = book.rules.filter(({ topologyKey }) => topologyKey !== HOSTNAME);
  const residents = book.rules.length === 0 ? [] : residentsOf(problem);
  const byNode = residentsByNode(residents);
  const hostOf = new Map(hosts.map((host) => [host.name, host]));
  const keys = [...new Set(overDomains.map(({ topologyKey }) => topologyKey))];
  const places = new Map(hosts.map((host) => [host, placeOfHost(host, keys)]));
  const onlyDomains = residents.map(({ parts, node }) => ({
    node,
    parts: parts.filter(({ rule }) => rule.topologyKey !== HOSTNAME),
  }));
  const values = new Map(
    keys.map((key) => {
      const onHosts = hosts.flatMap((host) => places.get(host)?.get(key) ?? []);
      return [key, [...new Set([...domains.of(key), ...onHosts])].sort(compareText)] as const;
    }),
  );
  const allowed = new Map<Pod, ReturnType<typeof allowedBy>>();
  return {
    valuesOf: (topologyKey) => values.get(topologyKey) ?? [],
    allowedTo: (pod) => {
      const before = allowed.get(pod);
      if (before) return before;
      const fresh = allowedBy(pod, (ask) => isPossible(ask, problem));
      allowed.set(pod, fresh);
      return fresh;
    },
    isMissingOnHosts: (topologyKey) =>
      hosts.some((host) => (places.get(host)?.get(topologyKey) ?? []).length === 0),
    openCensus: (sought) => {
      const census = createCensus(overDomains, domains.lookedAtBy, sought);
      addNodes(census, { keys, nodes, hostOf, places });
      for (const { parts, node } of onlyDomains) {
        if (parts.length === 0) continue;
        const host = hostOf.get(node.name);
        if (host && !node.node) {
          census.record(parts, places.get(host) ?? NO_PLACE, 1, (rule) => countingFor(rule, host));
          continue;
        }
        const place = placeOfLabels(labelsOf(node), keys);
        census.record(parts, place, 1, (rule) =>
          countsOn(rule, node, hostOf) ? 'surely' : 'never',
        );
      }
      return census;
    },
    residentsOn: (host) => byNode.get(host.name) ?? NO_RESIDENTS,
    placeOf: (host) => places.get(host) ?? NO_PLACE,
    countingOn: (host) => (rule) => countingFor(rule, host),
    begun: begunBy(residents),
  };
}

const NOBODY: Residents = { selected: 0, owners: 0 };
const NO_RESIDENTS: ReadonlyMap<TopologyRule, Residents> = new Map();
const NO_PLACE: Place = new Map();

/** Whether the labels of some node, or of nodes that some NodePool makes, could be what is asked. */
const isPossible = ({ requirements, present }: LabelAsk, { sources, hosts }: TopologyProblem) =>
  sources.some(
    (source) =>
      isCompatible(source.requirements, requirements, WELL_KNOWN) &&
      isCompatible(source.requirements, present, WELL_KNOWN),
  ) ||
  hosts.some(({ labels }) =>
    labels.some(
      (each) => isCompatible(each, requirements, NO_KEYS) && isCompatible(each, present, NO_KEYS),
    ),
  );

/** By node: how many pods there each rule over the hostname selects, and how many own it. */
function residentsByNode(
  residents: readonly Resident[],
): ReadonlyMap<string, ReadonlyMap<TopologyRule, Residents>> {
  const byNode = new Map<string, Map<TopologyRule, Residents>>();
  for (const { parts, node } of residents) {
    const onNode = byNode.get(node.name) ?? new Map<TopologyRule, Residents>();
    byNode.set(node.name, onNode);
    for (const { rule, selected, owns } of parts.filter(isOverNodes)) {
      const before = onNode.get(rule) ?? NOBODY;
      onNode.set(rule, {
        selected: before.selected + (selected ? 1 : 0),
        owners: before.owners + (owns ? 1 : 0),
      });
    }
  }
  return byNode;
}

const isOverNodes = ({ rule }: Part): boolean => rule.topologyKey === HOSTNAME;

const begunBy = (residents: readonly Resident[]): ReadonlySet<TopologyRule> =>
  new Set(
    residents
      .flatMap(({ parts }) => parts.filter(isOverNodes))
      .filter(({ rule, selected }) => selected && rule.kind === 'affinity')
      .map(({ rule }) => rule),
  );

/** A Node's own labels once it is registered, until then those of its claim; the hostname is not asked. */
const labelsOf = ({ node, claim }: StateNode): Labels => ({
  ...claim?.meta.labels,
  ...node?.meta.labels,
});

const placeOfLabels = (labels: Labels, keys: readonly string[]): Place =>
  new Map(
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [[key, [value]] as const];
    }),
  );

/** The values that a host has, or may come to have while it is not known what it will be. */
const placeOfHost = ({ labels }: Host, keys: readonly string[]): Place =>
  new Map(
    keys.flatMap((key) => {
      const values = new Set<string>();
      for (const possible of labels) {
        const requirement = possible.get(key);
        if (requirement && !requirement.complement) {
          for (const value of requirement.values) values.add(value);
        }
      }
      return values.size === 0 ? [] : [[key, [...values]] as const];
    }),
  );

/** The nodes of which domains are made. */
interface Standing {
  readonly keys: readonly string[];
  readonly nodes: readonly StateNode[];
  readonly hostOf: ReadonlyMap<string, Host>;
  readonly places: ReadonlyMap<Host, Place>;
}

/**
 * Nodes that stay, or are on their way, make domains of their own, whether or not a NodePool could
 * make more there.
 *
 * Source: kubernetes v1.36, podtopologyspread/filtering.go, calPreFilterState, when all are up.
 * Karpenter v1.14, provisioning/scheduling/topology.go, waits until a node is there.
 */
function addNodes(census: Census, { keys, nodes, hostOf, places }: Standing): void {
  for (const stateNode of nodes) {
    if (isGoing(stateNode)) continue;
    const host = hostOf.get(stateNode.name);
    if (stateNode.node) {
      census.addNode(placeOfLabels(labelsOf(stateNode), keys), (rule) =>
        countsOn(rule, stateNode, hostOf) ? 'surely' : 'never',
      );
    } else if (host) {
      census.addNode(places.get(host) ?? NO_PLACE, (rule) => countingFor(rule, host));
    }
  }
}

/** Whether a spread looks at a node: taints that will go by themselves do not matter. */
function countsOn(
  { filter }: TopologyRule,
  stateNode: StateNode,
  hostOf: ReadonlyMap<string, Host>,
): boolean {
  const { alternatives, tolerations } = filter;
  const taints = hostOf.get(stateNode.name)?.taints ?? taintsOf(stateNode);
  if (tolerations && firstUntolerated(taints.filter(isHard), tolerations)) return false;
  if (!alternatives) return true;
  const { node } = stateNode;
  const hostname = node && { [HOSTNAME]: node.meta.labels[HOSTNAME] ?? node.meta.name };
  const labels = requirementsOfLabels({ ...labelsOf(stateNode), ...hostname });
  return alternatives.some(
    ({ requirements, present }) =>
      isCompatible(labels, requirements, NO_KEYS) && isCompatible(labels, present, NO_KEYS),
  );
}

const NO_KEYS: ReadonlySet<string> = new Set();

const taintsOf = ({ node, claim }: StateNode): readonly Taint[] =>
  node?.taints ?? claim?.spec.taints ?? [];

const isHard = ({ effect }: Taint): boolean => effect !== 'PreferNoSchedule';

/** Whether pods on a host count for a spread, whatever the host turns out to be. */
function countingFor({ filter }: TopologyRule, { labels, taints }: Host): Counting {
  const { alternatives, tolerations } = filter;
  if (tolerations && firstUntolerated(taints.filter(isHard), tolerations)) return 'never';
  if (!alternatives) return 'surely';
  const verdicts = labels.map((each) =>
    alternatives.some(
      ({ requirements, present }) =>
        isCompatible(each, requirements, NO_KEYS) && isCompatible(each, present, NO_KEYS),
    ),
  );
  if (verdicts.every((matches) => !matches)) return 'never';
  const isKnown = labels.length === 1;
  return isKnown && verdicts.every(Boolean) ? 'surely' : 'maybe';
}
