import type { Labels } from './label-selector.ts';
import { compareText } from './order.ts';
import {
  describeRequirement,
  intersectRequirement,
  normalizeKey,
  operatorOf,
  overlaps,
  type Requirement,
  type RequirementSpec,
  requirementOf,
  specsOf,
} from './requirement.ts';

/** One Requirement per label key: what a pod asks, a pool allows, a type offers. */
export type Requirements = ReadonlyMap<string, Requirement>;

/** No requirement at all: everything is allowed. */
export const NO_REQUIREMENTS: Requirements = new Map();

/** The Requirements of a list of lines; lines on one key are intersected. */
export function requirementsOf(specs: readonly RequirementSpec[]): Requirements {
  const byKey = new Map<string, Requirement>();
  for (const spec of specs) add(byKey, requirementOf(spec));
  return byKey;
}

/** That each label is what it is. */
export function requirementsOfLabels(labels: Labels): Requirements {
  const byKey = new Map<string, Requirement>();
  for (const [key, value] of Object.entries(labels)) {
    add(byKey, { key: normalizeKey(key), complement: false, values: new Set([value]) });
  }
  return byKey;
}

function add(byKey: Map<string, Requirement>, requirement: Requirement): void {
  const known = byKey.get(requirement.key);
  byKey.set(requirement.key, known ? intersectRequirement(known, requirement) : requirement);
}

/**
 * What both demand, key by key; returns `a` itself where `b` adds nothing. Keys on one side only
 * are kept. Nothing is refused: a contradiction shows as DoesNotExist.
 */
export function intersectRequirements(a: Requirements, b: Requirements): Requirements {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  let merged: Map<string, Requirement> | undefined;
  for (const [key, incoming] of b) {
    const existing = a.get(key);
    const requirement = existing ? intersectRequirement(existing, incoming) : incoming;
    if (requirement === existing) continue;
    merged ??= new Map(a);
    merged.set(key, requirement);
  }
  return merged ?? a;
}

/** Whether a demand on a key is met by the key's absence. */
const allowsAbsence = (requirement: Requirement): boolean =>
  requirement.complement ? requirement.values.size > 0 : requirement.values.size === 0;

/** Whether the demands of both sides on one key can be met together. */
const agree = (a: Requirement, b: Requirement): boolean =>
  overlaps(a, b) || (allowsAbsence(a) && allowsAbsence(b));

/**
 * Whether there is no key that both name and cannot agree on: `conflict` without its sentence,
 * for loops that only need to know.
 */
export function agrees(a: Requirements, b: Requirements): boolean {
  if (a === b) return true;
  const [walked, other] = a.size <= b.size ? [a, b] : [b, a];
  for (const [key, requirement] of walked) {
    const counterpart = other.get(key);
    if (counterpart && !agree(requirement, counterpart)) return false;
  }
  return true;
}

/**
 * Whether `existing` can take on `incoming`: `incompatibility` without its sentence, for loops
 * that only need to know.
 */
export function isCompatible(
  existing: Requirements,
  incoming: Requirements,
  openKeys: ReadonlySet<string>,
): boolean {
  for (const [key, requirement] of incoming) {
    const counterpart = existing.get(key);
    if (counterpart ? !agree(counterpart, requirement) : isUnknown(requirement, openKeys)) {
      return false;
    }
  }
  return true;
}

const isUnknown = (requirement: Requirement, openKeys: ReadonlySet<string>): boolean =>
  !allowsAbsence(requirement) && !openKeys.has(requirement.key);

/**
 * Why `existing` cannot take on `incoming`, or undefined where it can. A key that only `incoming`
 * names must be one of `openKeys` (whose values are settled later), or demanded absent or
 * different; keys that both name must agree as in `conflict`. All that is wrong is said, by key.
 *
 * Example: label "team" does not have known values
 * Source: karpenter v1.14, scheduling/requirements.go, Compatible.
 */
export function incompatibility(
  existing: Requirements,
  incoming: Requirements,
  openKeys: ReadonlySet<string>,
): string | undefined {
  if (isCompatible(existing, incoming, openKeys)) return undefined;
  const problems = sortedKeys(incoming)
    .filter((key) => {
      const requirement = incoming.get(key);
      return requirement && !existing.has(key) && isUnknown(requirement, openKeys);
    })
    .map((key) => `label "${key}" does not have known values${typoHint(key, existing, openKeys)}`);
  const disagreement = conflict(existing, incoming);
  return [...problems, ...(disagreement === undefined ? [] : [disagreement])].join('; ');
}

/** A known key that `key` may have been meant to be. */
function typoHint(key: string, existing: Requirements, openKeys: ReadonlySet<string>): string {
  const lastPart = key.slice(key.indexOf('/') + 1);
  const known = [...[...openKeys].sort(compareText), ...sortedKeys(existing)];
  const meant = known.find((name) => name.includes(key) || name.endsWith(lastPart));
  return meant === undefined ? '' : ` (typo of "${meant}"?)`;
}

/**
 * Why `a` and `b` cannot both hold, or undefined where they can: the keys that both name and of
 * which no value is left. Two demands that a missing label satisfies (NotIn, DoesNotExist) never
 * conflict. All that is wrong is said, by key.
 *
 * Example: key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [us-east-1c] not in
 * topology.kubernetes.io/zone In [us-east-1a us-east-1b]
 * Source: karpenter v1.14, scheduling/requirements.go, Intersects.
 */
export function conflict(a: Requirements, b: Requirements): string | undefined {
  if (agrees(a, b)) return undefined;
  const problems = sortedKeys(b).flatMap((key) => {
    const [existing, incoming] = [a.get(key), b.get(key)];
    if (!existing || !incoming || agree(existing, incoming)) return [];
    return [`key ${key}, ${describeRequirement(incoming)} not in ${describeRequirement(existing)}`];
  });
  return problems.join('; ');
}

const sortedKeys = (requirements: Requirements): string[] =>
  [...requirements.keys()].sort(compareText);

/** The lines of a manifest that mean these requirements, sorted by key. */
export const specsOfRequirements = (requirements: Requirements): RequirementSpec[] =>
  sortedKeys(requirements).flatMap((key) => {
    const requirement = requirements.get(key);
    return requirement ? specsOf(requirement) : [];
  });

/** The one key that a sentence leaves out: it is different for every node and says nothing. */
const UNTOLD_KEY = 'kubernetes.io/hostname';

/** All requirements as a person reads them in an event, sorted by key. */
export const describeRequirements = (requirements: Requirements): string =>
  [...requirements.values()]
    .filter(({ key }) => key !== UNTOLD_KEY)
    .map(describeRequirement)
    .sort(compareText)
    .join(', ');

/** Whether one value is left of a key, and which: what a label will be. */
export function onlyValue(requirements: Requirements, key: string): string | undefined {
  const requirement = requirements.get(key);
  if (!requirement || operatorOf(requirement) !== 'In' || requirement.values.size !== 1) {
    return undefined;
  }
  return requirement.values.values().next().value;
}
