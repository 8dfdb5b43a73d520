import { compareText } from '#lib/constraints/order.ts';
import { has } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import { firstUntolerated, type Taint } from '#lib/constraints/taints.ts';
import type { Source } from '../sources.ts';
import type { TopologyRule } from './rule.ts';

/** The values of a node label that new nodes could have. */
export interface Domains {
  /** All of them, sorted. */
  readonly of: (topologyKey: string) => readonly string[];
  /** Those whose emptiness counts for a spread, sorted. */
  readonly lookedAtBy: (rule: TopologyRule) => readonly string[];
}

/**
 * The domains that `sources` could make nodes in, whether or not anything is for sale there now: an
 * empty domain holds a spread back until it has its pods.
 *
 * Cost: instance types and their offerings, once for each key.
 * Source: karpenter v1.14, provisioning/scheduling/topologydomaingroup.go and provisioner.go,
 * getDomainGroups.
 */
export function domainsOf(sources: readonly Source[]): Domains {
  const found = new Map<string, ReadonlyMap<string, readonly Source[]>>();
  const makersIn = (topologyKey: string): ReadonlyMap<string, readonly Source[]> => {
    const before = found.get(topologyKey);
    if (before) return before;
    const makers = makersOf(topologyKey, sources);
    found.set(topologyKey, makers);
    return makers;
  };
  return {
    of: (topologyKey) => [...makersIn(topologyKey).keys()].sort(compareText),
    lookedAtBy: ({ topologyKey, filter: { tolerations } }) =>
      [...makersIn(topologyKey)]
        .filter(
          ([, makers]) =>
            tolerations === undefined ||
            makers.some(({ taints }) => !firstUntolerated(taints.filter(isHard), tolerations)),
        )
        .map(([value]) => value)
        .sort(compareText),
  };
}

const isHard = ({ effect }: Taint): boolean => effect !== 'PreferNoSchedule';

/** By value: who could make a node that has it. */
function makersOf(
  topologyKey: string,
  sources: readonly Source[],
): ReadonlyMap<string, readonly Source[]> {
  const makers = new Map<string, Source[]>();
  for (const source of sources) {
    for (const value of valuesIn(topologyKey, source)) {
      const others = makers.get(value);
      if (others) others.push(source);
      else makers.set(value, [source]);
    }
  }
  return makers;
}

function valuesIn(topologyKey: string, { requirements, types }: Source): ReadonlySet<string> {
  const own = requirements.get(topologyKey);
  const found = new Set<string>(listedIn(requirements, topologyKey));
  for (const { type, requirements: labels, offerings } of types) {
    for (const value of listedIn(labels, topologyKey)) found.add(value);
    for (const offering of [...type.offerings, ...offerings]) {
      for (const value of listedIn(offering.requirements, topologyKey)) found.add(value);
    }
  }
  return own ? new Set([...found].filter((value) => has(own, value))) : found;
}

function listedIn(requirements: Requirements, topologyKey: string): Iterable<string> {
  const label = requirements.get(topologyKey);
  return label && !label.complement ? label.values : [];
}
