import { isTerminal } from '#lib/consent/pod-state.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Host } from '#lib/solver/hosts/hosts.ts';
import type { TopologyRule } from '#lib/solver/topology/rule.ts';
import type { Apartness, MoverKind } from './movers.ts';

/** How pods would stand over zones and the like, while some are moved. */
interface SpreadTally {
  /** Whether no spread of the pod's own would be too uneven. */
  readonly admits: (kind: MoverKind, host: string) => boolean;
  readonly add: (kind: MoverKind, host: string) => void;
}

/** How pods stand over zones and the like: a guess, as it regards only nodes that are there. */
export interface Spreads {
  /** A tally that begins with who stands on all nodes but `without`. */
  readonly openTally: (without: ReadonlySet<string>) => SpreadTally;
  /** Counts a pod on a node for good. */
  readonly take: (host: string, kind: MoverKind) => void;
  /** Takes a node, and whoever stood there, away for good. */
  readonly close: (host: string) => void;
}

/** By domain. */
type Counts = Map<string, number>;

/** Counts who stands on `hosts`. Cost: their pods. */
export function openSpreads(hosts: readonly Host[], apartnessOf: (pod: Pod) => Apartness): Spreads {
  const standing = new Map(hosts.map((host) => [host.name, countedOn(host, apartnessOf)]));
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const rules = new Map<TopologyRule, Counts>();
  const domainOf = (rule: TopologyRule, name: string): string | undefined =>
    byName.get(name)?.stateNode.node?.meta.labels[rule.topologyKey];
  const countsOf = (rule: TopologyRule): Counts => {
    const known = rules.get(rule);
    if (known) return known;
    const counts: Counts = new Map();
    for (const [name, own] of standing) add(counts, domainOf(rule, name), own.get(rule) ?? 0);
    rules.set(rule, counts);
    return counts;
  };
  return {
    openTally: (without) => {
      const current = new Map<TopologyRule, Counts>();
      const countsNow = (rule: TopologyRule): Counts => {
        const known = current.get(rule);
        if (known) return known;
        const counts = new Map(countsOf(rule));
        for (const name of without) {
          add(counts, domainOf(rule, name), -(standing.get(name)?.get(rule) ?? 0));
        }
        current.set(rule, counts);
        return counts;
      };
      return {
        admits: ({ spreads }, name) =>
          spreads.every((rule) => isEven(rule, countsNow(rule), domainOf(rule, name))),
        add: ({ counted }, name) => {
          for (const rule of counted) add(countsNow(rule), domainOf(rule, name), 1);
        },
      };
    },
    take: (name, { counted }) => {
      const own = standing.get(name);
      for (const rule of own ? counted : []) {
        own?.set(rule, (own.get(rule) ?? 0) + 1);
        add(countsOf(rule), domainOf(rule, name), 1);
      }
    },
    close: (name) => {
      for (const [rule, count] of standing.get(name) ?? []) {
        add(countsOf(rule), domainOf(rule, name), -count);
      }
      standing.set(name, new Map());
    },
  };
}

function countedOn(
  { stateNode }: Host,
  apartnessOf: (pod: Pod) => Apartness,
): Map<TopologyRule, number> {
  const counts = new Map<TopologyRule, number>();
  for (const pod of stateNode.pods) {
    if (isTerminal(pod) || pod.meta.deletedAt !== undefined) continue;
    for (const rule of apartnessOf(pod).counted) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return counts;
}

/** A domain is known, though empty, once a node there was asked about. */
function add(counts: Counts, domain: string | undefined, amount: number): void {
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + amount);
}

function isEven({ maxSkew }: TopologyRule, counts: Counts, domain: string | undefined): boolean {
  if (domain === undefined) return false;
  return (counts.get(domain) ?? 0) + 1 - Math.min(...counts.values()) <= maxSkew;
}
