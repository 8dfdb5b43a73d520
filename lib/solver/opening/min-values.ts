import { compareText } from '#lib/constraints/order.ts';
import { has } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { SourceType } from '../sources.ts';

/** How many different values of a key a NodeClaim's types must offer. */
export interface Minimum {
  readonly key: string;
  readonly wanted: number;
  readonly found: number;
}

/** The keys of which `types` offer fewer values than `requirements` demand, by key. */
export function unmetMinimums(
  types: Iterable<SourceType>,
  requirements: Requirements,
): readonly Minimum[] {
  const listed = [...types];
  return minimumsOf(requirements)
    .map(({ key, wanted }) => ({
      key,
      wanted,
      found: valuesOffered(listed, requirements, key).size,
    }))
    .filter(({ wanted, found }) => found < wanted);
}

function minimumsOf(
  requirements: Requirements,
): readonly { readonly key: string; readonly wanted: number }[] {
  return [...requirements.values()]
    .flatMap(({ key, minValues = 0 }) => (minValues > 0 ? [{ key, wanted: minValues }] : []))
    .sort((a, b) => compareText(a.key, b.key));
}

/**
 * The values of `key` that the types offer and the requirements allow.
 *
 * Source: karpenter v1.14, cloudprovider/types.go, SatisfiesMinValues, which also counts values
 * that the requirements exclude; those can never be launched, so here they do not count.
 */
function valuesOffered(
  types: readonly SourceType[],
  requirements: Requirements,
  key: string,
): ReadonlySet<string> {
  const allowed = requirements.get(key);
  const offered = new Set<string>();
  for (const type of types) {
    const values = type.requirements.get(key);
    if (!values || values.complement) continue;
    for (const value of values.values) if (!allowed || has(allowed, value)) offered.add(value);
  }
  return offered;
}

/** `requirements` with each minimum lowered to what was found. */
export function lowerMinimums(requirements: Requirements, unmet: readonly Minimum[]): Requirements {
  const lowered = new Map(requirements);
  for (const { key, found } of unmet) {
    const requirement = lowered.get(key);
    if (!requirement) continue;
    const { minValues: _, ...rest } = requirement;
    lowered.set(key, found > 0 ? { ...rest, minValues: found } : rest);
  }
  return lowered;
}

/** How a person reads that types are missing: "2 of 3 values of node.kubernetes.io/instance-type". */
export const describeMinimums = (unmet: readonly Minimum[]): string =>
  unmet.map(({ key, wanted, found }) => `${found} of the ${wanted} values of ${key}`).join(', ');
